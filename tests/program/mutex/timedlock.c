// The lock is not to be had in time, and the thread goes on without it.
// expect: race x @main-@worker confirmed
// output: timed out
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
sem_t gave_up;
int x;

void* work(void* unused) {
  (void)unused;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  const int status = pthread_mutex_timedlock(&m, &until);
  puts(status == ETIMEDOUT ? "timed out" : "locked");
  sem_post(&gave_up);
  x = 2;  // @worker
  return NULL;
}

int main(void) {
  pthread_t worker;
  sem_init(&gave_up, 0, 0);
  pthread_mutex_lock(&m);
  pthread_create(&worker, NULL, work, NULL);
  sem_wait(&gave_up);
  x = 1;  // @main
  pthread_mutex_unlock(&m);
  pthread_join(worker, NULL);
}
