// mtx_timedlock times out, and the thread writes nevertheless.
// expect: race x @main-@worker confirmed
// output: timed out
#include <stdatomic.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

mtx_t m;
atomic_int tried;
int x;

int work(void* unused) {
  (void)unused;
  struct timespec until;
  timespec_get(&until, TIME_UTC);
  puts(mtx_timedlock(&m, &until) == thrd_timedout ? "timed out" : "locked");
  tried = 1;
  x = 2;  // @worker
  return 0;
}

int main(void) {
  thrd_t worker;
  mtx_init(&m, mtx_timed);
  mtx_lock(&m);
  thrd_create(&worker, work, NULL);
  while (!tried) thrd_yield();
  x = 1;  // @main
  mtx_unlock(&m);
  thrd_join(worker, NULL);
}
