// SPDX-License-Identifier: Apache-2.0
// race-free: empty and full slots of one buffer
#include <pthread.h>
#include <semaphore.h>
static sem_t empty, full;
static int buffer;
static void *producer(void *unused) {
  (void)unused;
  for (int i = 0; i < 5; i++) {
    sem_wait(&empty);
    buffer = i;
    sem_post(&full);
  }
  return 0;
}
static void *consumer(void *unused) {
  (void)unused;
  int sum = 0;
  for (int i = 0; i < 5; i++) {
    sem_wait(&full);
    sum += buffer;
    sem_post(&empty);
  }
  return (void *)(long)sum;
}
int main(void) {
  pthread_t a, b;
  sem_init(&empty, 0, 1);
  sem_init(&full, 0, 0);
  pthread_create(&a, 0, producer, 0);
  pthread_create(&b, 0, consumer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
