// A function below main calls exit while detached threads have not begun.
// expect: race hits @thread-@thread confirmed
// expect: status 4
// output: bye
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int hits;

void* work(void* unused) {
  hits++;  // @thread
  return unused;
}

void bye(void) {
  puts("bye");
}

void leave(void) {
  exit(4);
}

int main(void) {
  pthread_t worker;
  atexit(bye);
  for (int i = 0; i < 2; i++) {
    pthread_create(&worker, NULL, work, NULL);
    pthread_detach(worker);
  }
  leave();
}
