// The program aborts after it raced: nothing recorded is lost.
// expect: race x @a-@b confirmed
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
  pthread_create(&worker, NULL, work, NULL);
  x = 2;  // @a
  pthread_join(worker, NULL);
}
