// Waits with the lock in hand for a post that needs the lock.
// native: may hang
// run: --strategy=random --quantum=2
// seeds: 40
// expect: deadlock full m confirmed
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
sem_t full;
int x;

void* take(void* unused) {
  pthread_mutex_lock(&m);
  sem_wait(&full);
  x++;
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t taker;
  sem_init(&full, 0, 0);
  pthread_create(&taker, NULL, take, NULL);
  pthread_mutex_lock(&m);
  x++;
  sem_post(&full);
  pthread_mutex_unlock(&m);
  pthread_join(taker, NULL);
  printf("%d\n", x);
}
