// An atomic flag stops the thread.
// expect: none
// output: stopped
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int stop;

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
