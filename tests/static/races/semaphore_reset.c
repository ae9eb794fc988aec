// SPDX-License-Identifier: Apache-2.0
// racy: every thread sets the semaphore to one again
#include <pthread.h>
#include <semaphore.h>
sem_t s;
int x;
void *work(void *unused) {
  sem_init(&s, 0, 1);
  sem_wait(&s);
  x++;
  sem_post(&s);
  return 0;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, work, 0);
}
