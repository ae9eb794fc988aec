// A normal mutex, locked twice by one thread.
// native: hangs
// expect: deadlock m @again confirmed
// output: start
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void* work(void* unused) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);  // @again
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t worker;
  puts("start");
  fflush(stdout);
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
}
