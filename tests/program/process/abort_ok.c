// The program aborts without having raced.
// expect: crash 6
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int x;

void* work(void* unused) {
  (void)unused;
  x = 1;  // @b
  abort();
}

int main(void) {
  pthread_t worker;
  x = 2;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
}
