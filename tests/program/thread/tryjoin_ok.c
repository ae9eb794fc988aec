// Tries to join until it succeeds; the successful try orders the thread before the read.
// expect: none
// output: done
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

int result;

void* work(void* unused) {
  (void)unused;
  result = 1;  // @write
  return NULL;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  while (pthread_tryjoin_np(worker, NULL) != 0) sched_yield();
  if (result > 1) puts("never");  // @read
  puts("done");
}
