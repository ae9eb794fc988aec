// A timer whose function runs in a thread that libc makes.
// expect: none
// output: done
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

int data;
sem_t fired;

void fire(union sigval unused) {
  (void)unused;
  if (data != 1) puts("never");
  sem_post(&fired);
}

int main(void) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = fire};
  struct itimerspec soon = {.it_value = {0, 1000000}};
  sem_init(&fired, 0, 0);
  data = 1;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &soon, NULL);
  sem_wait(&fired);
  puts("done");
}
