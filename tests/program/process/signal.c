// A signal handler adds to a counter that another thread adds to as well.
// expect: race counter @handler-@main confirmed
// output: 2
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

volatile sig_atomic_t counter;

void handle(int number) {
  (void)number;
  counter = counter + 1;  // @handler
}

void* work(void* unused) {
  raise(SIGUSR1);
  return unused;
}

int main(void) {
  pthread_t worker;
  signal(SIGUSR1, handle);
  pthread_create(&worker, NULL, work, NULL);
  counter = counter + 1;  // @main
  pthread_join(worker, NULL);
  printf("%d\n", (int)counter);
}
