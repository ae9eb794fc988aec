// SPDX-License-Identifier: Apache-2.0
// race-free: the post orders what was written before it
#include <pthread.h>
#include <semaphore.h>
sem_t s;
int x;
void *work(void *unused) {
  x = 1;
  sem_post(&s);
  return 0;
}
int main(void) {
  pthread_t a;
  sem_init(&s, 0, 0);
  pthread_create(&a, 0, work, 0);
  sem_wait(&s);
  return x;
}
