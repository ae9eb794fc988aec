// Whoever reads a signal from a descriptor comes after its sender.
// expect: none
// output: done
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

int data, signals;

void* wait_for_it(void* unused) {
  struct signalfd_siginfo info;
  if (read(signals, &info, sizeof info) != sizeof info) puts("never");
  if (data != 1) puts("never");
  return unused;
}

int main(void) {
  pthread_t waiter;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  signals = signalfd(-1, &blocked, 0);
  pthread_create(&waiter, NULL, wait_for_it, NULL);
  data = 1;
  kill(getpid(), SIGUSR1);
  pthread_join(waiter, NULL);
  puts("done");
}
