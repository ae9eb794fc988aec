// main returns before the thread it made has taken a step.
// expect: race glob @thread-@main confirmed
#include <pthread.h>

int glob;

void* work(void* unused) {
  glob++;  // @thread
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  glob++;  // @main
  return 0;
}
