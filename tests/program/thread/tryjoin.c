// A failed try to join orders nothing, and main reads all the same.
// expect: race result @write-@read confirmed
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
  int status = pthread_tryjoin_np(worker, NULL);
  if (result > 1) puts("never");  // @read
  if (status != 0) pthread_join(worker, NULL);
  puts("done");
}
