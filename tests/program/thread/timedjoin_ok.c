// The join times out while the thread waits for its permission; main writes before it gives it,
// and joins for good before it reads.
// expect: none
// output: timed out, 2
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

int x;
sem_t permission;

void* work(void* unused) {
  (void)unused;
  sem_wait(&permission);
  x = 2;  // @worker
  return NULL;
}

int main(void) {
  pthread_t worker;
  sem_init(&permission, 0, 0);
  pthread_create(&worker, NULL, work, NULL);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec = 0;
  printf(pthread_timedjoin_np(worker, NULL, &until) == ETIMEDOUT ? "timed out, " : "joined, ");
  x = 1;  // @main
  sem_post(&permission);
  pthread_join(worker, NULL);
  printf("%d\n", x);
}
