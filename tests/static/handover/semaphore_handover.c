// SPDX-License-Identifier: Apache-2.0
// race-free: a semaphore tells that the data is there
#include <pthread.h>
#include <semaphore.h>
static sem_t ready;
static int data;
static void *producer(void *unused) {
  (void)unused;
  data = 42;
  sem_post(&ready);
  return 0;
}
int main(void) {
  pthread_t t;
  sem_init(&ready, 0, 0);
  pthread_create(&t, 0, producer, 0);
  sem_wait(&ready);
  return data;
}
