// A handler comes after whoever sent the signal.
// expect: none
// output: done
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

int data;
volatile sig_atomic_t got;

void on_signal(int number) {
  (void)number;
  if (data != 1) puts("never");
  got = 1;
}

void* wait_for_it(void* unused) {
  sigset_t none;
  sigemptyset(&none);
  while (!got) sigsuspend(&none);
  return unused;
}

int main(void) {
  pthread_t waiter;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&waiter, NULL, wait_for_it, NULL);
  data = 1;
  pthread_kill(waiter, SIGUSR1);
  pthread_join(waiter, NULL);
  puts("done");
}
