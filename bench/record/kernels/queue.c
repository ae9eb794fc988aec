// One producer, one consumer, a bounded queue of blocks under a mutex and two conditions: threads
// that hand over to each other all the time.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSlots = 16, kBlock = 1024 };

static uint32_t blocks[kSlots][kBlock];
static long head, tail, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static uint64_t sum;

static void* consume(void* argument) {
  (void)argument;
  for (long i = 0; i < count; i++) {
    pthread_mutex_lock(&lock);
    while (head == tail) pthread_cond_wait(&not_empty, &lock);
    uint32_t* block = blocks[head % kSlots];
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < kBlock; k++) sum = sum * 33 + block[k];
    pthread_mutex_lock(&lock);
    head++;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(int argc, char** argv) {
  count = argc > 1 ? atol(argv[1]) : 40000;
  pthread_t consumer;
  pthread_create(&consumer, NULL, consume, NULL);
  uint32_t random = 1;
  for (long i = 0; i < count; i++) {
    pthread_mutex_lock(&lock);
    while (tail - head == kSlots) pthread_cond_wait(&not_full, &lock);
    uint32_t* block = blocks[tail % kSlots];
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < kBlock; k++) {
      random = random * 1664525 + 1013904223;
      block[k] = random >> 8;
    }
    pthread_mutex_lock(&lock);
    tail++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
  }
  pthread_join(consumer, NULL);
  printf("%llx\n", (unsigned long long)sum);
  return 0;
}
