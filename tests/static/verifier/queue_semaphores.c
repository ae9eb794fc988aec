// SPDX-License-Identifier: Apache-2.0
// race-free: a bounded queue with two semaphores and a mutex
#include <pthread.h>
#include <semaphore.h>
#define SIZE 4
static sem_t slots, items;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int buffer[SIZE], in, out;
static void *producer(void *unused) {
  for (int i = 0; i < 20; i++) {
    sem_wait(&slots);
    pthread_mutex_lock(&m);
    buffer[in] = i;
    in = (in + 1) % SIZE;
    pthread_mutex_unlock(&m);
    sem_post(&items);
  }
  return unused;
}
static void *consumer(void *unused) {
  for (int i = 0; i < 20; i++) {
    sem_wait(&items);
    pthread_mutex_lock(&m);
    int got = buffer[out];
    out = (out + 1) % SIZE;
    pthread_mutex_unlock(&m);
    sem_post(&slots);
    (void)got;
  }
  return unused;
}
int main(void) {
  pthread_t a, b;
  sem_init(&slots, 0, SIZE);
  sem_init(&items, 0, 0);
  pthread_create(&a, 0, producer, 0);
  pthread_create(&b, 0, consumer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
