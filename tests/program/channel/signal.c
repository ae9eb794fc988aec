// The signal is sent before the data is written.
// expect: race data @write-@read confirmed
// output: done
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

int data;

void* wait_for_it(void* unused) {
  int number;
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGUSR1);
  sigwait(&awaited, &number);
  if (data > 1) puts("never");  // @read
  return unused;
}

int main(void) {
  pthread_t waiter;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  pthread_create(&waiter, NULL, wait_for_it, NULL);
  pthread_kill(waiter, SIGUSR1);
  data = 1;  // @write
  pthread_join(waiter, NULL);
  puts("done");
}
