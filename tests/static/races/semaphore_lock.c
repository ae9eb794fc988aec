// SPDX-License-Identifier: Apache-2.0
// race-free: a semaphore of one, posted by who waited
#include <pthread.h>
#include <semaphore.h>
sem_t s;
int x;
void *work(void *unused) {
  sem_wait(&s);
  x++;
  sem_post(&s);
  return 0;
}
int main(void) {
  pthread_t a, b;
  sem_init(&s, 0, 1);
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  return 0;
}
