// A timer of the process interrupts a sleep again and again, and the sleep ends nevertheless.
// expect: none
// output: slept
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

void handler(int number) {
  (void)number;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  struct itimerval every = {{0, 1000}, {0, 1000}};
  struct timespec left = {0, 50000000};
  int times = 0;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  while (times++ < 1000 && nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
  puts(times < 1000 ? "slept" : "never");
}
