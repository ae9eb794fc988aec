// Nobody posts in time; the thread waits again, for as long as it takes.
// expect: none
// output: timed out
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

sem_t full, tried;
int x;

void* work(void* unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  if (sem_timedwait(&full, &until) != 0 && errno == ETIMEDOUT) puts("timed out");
  sem_post(&tried);
  sem_wait(&full);
  x = 2;  // @worker
  return unused;
}

int main(void) {
  pthread_t worker;
  sem_init(&full, 0, 0);
  sem_init(&tried, 0, 0);
  pthread_create(&worker, NULL, work, NULL);
  sem_wait(&tried);
  x = 1;  // @main
  sem_post(&full);
  pthread_join(worker, NULL);
}
