// main holds the lock for writing for longer than the thread waits to read;
// the thread then reads without it.
// expect: race value @write-@read confirmed
// output: timed out
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
sem_t gave_up;
int value;

void* look(void* unused) {
  (void)unused;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  puts(pthread_rwlock_timedrdlock(&lock, &until) == ETIMEDOUT ? "timed out" : "locked");
  sem_post(&gave_up);
  if (value > 1) puts("never");  // @read
  return NULL;
}

int main(void) {
  pthread_t worker;
  sem_init(&gave_up, 0, 0);
  pthread_rwlock_wrlock(&lock);
  pthread_create(&worker, NULL, look, NULL);
  sem_wait(&gave_up);
  value = 1;  // @write
  pthread_rwlock_unlock(&lock);
  pthread_join(worker, NULL);
}
