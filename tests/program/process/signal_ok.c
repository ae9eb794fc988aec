// A signal handler that interrupts its own thread is ordered with it.
// expect: none
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
  counter = counter + 1;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
  printf("%d\n", (int)counter);
}
