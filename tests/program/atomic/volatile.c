// volatile is not atomic.
// expect: race stop @stop-@poll confirmed
// output: stopped
#include <pthread.h>
#include <stdio.h>

volatile int stop;

void* work(void* unused) {
  while (!stop) continue;  // @poll
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  stop = 1;  // @stop
  pthread_join(worker, NULL);
  puts("stopped");
}
