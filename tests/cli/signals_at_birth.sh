#!/usr/bin/env bash
# Signals find threads that are just being made: their handlers belong to these threads.
. "$(dirname "$0")/common.inc"

cat >born.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

static _Atomic long ticks;
static __thread long own;

static void on_tick(int signal) {
  own += signal;
  ticks++;
}

static void* live(void* argument) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, 0, &mask);
  return sigismember(&mask, SIGUSR1) && !sigismember(&mask, SIGALRM) ? argument : 0;
}

int main(void) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &mask, 0);
  struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, 0);
  const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, 0);
  int inherited = 0;
  for (int i = 0; i < 40; i++) {
    pthread_t threads[5];
    for (int t = 0; t < 5; t++) pthread_create(&threads[t], 0, live, &mask);
    for (int t = 0; t < 5; t++) {
      void* result;
      pthread_join(threads[t], &result);
      inherited += result != 0;
    }
  }
  setitimer(ITIMER_REAL, &never, 0);
  return ticks > 0 && inherited == 200 ? 3 : 1;
}
C
run $FORETELL cc -O1 -pthread born.c -o born; expect_status 0
run $FORETELL record --timeout=30 -o controlled.ftrace -- ./born; expect_status 3
run $FORETELL dump --check --summary controlled.ftrace; expect_status 0; expect_out " 201 threads"
run $FORETELL record --timeout=30 --parallel -o parallel.ftrace -- ./born; expect_status 3
run $FORETELL dump --check --summary parallel.ftrace; expect_status 0; expect_out " 201 threads"
