// A thread ends the process while main returns: the first one decides about the status, and the
// handlers run once.
// expect: race x @main-@thread confirmed
// expect: status 7
// output: handler
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int x;

void handler(void) {
  puts("handler");
}

void* work(void* unused) {
  (void)unused;
  x = 1;  // @thread
  exit(7);
}

int main(void) {
  pthread_t worker;
  atexit(handler);
  pthread_create(&worker, NULL, work, NULL);
  for (int i = 0; i < 100000; i++) x = i;  // @main
  return 0;
}
