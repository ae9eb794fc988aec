// A thread ends the process; the handlers of atexit run on it
// and read what main writes meanwhile.
// expect: race x @main-@handler confirmed
// expect: status 3
// output: leaving
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

int x;
sem_t never;

void leave(void) {
  if (x > 1) puts("never");  // @handler
  puts("leaving");
}

void* work(void* unused) {
  (void)unused;
  exit(3);
}

int main(void) {
  pthread_t worker;
  sem_init(&never, 0, 0);
  atexit(leave);
  pthread_create(&worker, NULL, work, NULL);
  x = 1;  // @main
  sem_wait(&never);
}
