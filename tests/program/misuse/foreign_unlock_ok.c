// The twin of foreign_unlock.c: a semaphore is for handing over. And a mutex that looks who unlocks
// it answers with an error, which a program may count on.
// expect: none
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
sem_t s;
int x;

void* give(void* unused) {
  x = 1;
  sem_post(&s);
  return pthread_mutex_unlock(&checked) == 0 ? &x : unused;
}

void* take(void* unused) {
  sem_wait(&s);
  x = x + 1;
  return unused;
}

int main(void) {
  pthread_t giver, taker;
  sem_init(&s, 0, 0);
  pthread_mutex_lock(&checked);
  pthread_create(&giver, NULL, give, NULL);
  pthread_create(&taker, NULL, take, NULL);
  pthread_join(giver, NULL);
  pthread_join(taker, NULL);
  return pthread_mutex_unlock(&checked);
}
