// SPDX-License-Identifier: Apache-2.0
// race-free: a ticket lock for any number of threads
#include <pthread.h>
static unsigned next, serving;
static int shared;
static unsigned __VERIFIER_atomic_draw(void) { return next++; }
static int __VERIFIER_atomic_is_served(unsigned mine) { return serving == mine; }
static void __VERIFIER_atomic_leave(void) { serving++; }
static void *worker(void *unused) {
  (void)unused;
  unsigned mine = __VERIFIER_atomic_draw();
  while (!__VERIFIER_atomic_is_served(mine)) {
  }
  shared = 1;
  __VERIFIER_atomic_leave();
  return 0;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, worker, 0);
}
