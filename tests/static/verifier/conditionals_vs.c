// SPDX-License-Identifier: Apache-2.0
// race-free: main starts threads without end, all under one lock, with nondeterministic values
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void abort(void);
static pthread_mutex_t mutex;
static int m, value, high;
static void __VERIFIER_atomic_acquire(void) {
  if (!(m == 0)) abort();
  m = 1;
}
static void __VERIFIER_atomic_release(void) {
  if (!(m == 1)) abort();
  m = 0;
}
static void *worker(void *unused) {
  int x;
  if (__VERIFIER_nondet_int()) {
    __VERIFIER_atomic_acquire();
    value = 1;
    high = value > 0;
    __VERIFIER_atomic_release();
  } else {
    __VERIFIER_atomic_acquire();
    x = value;
    __VERIFIER_atomic_release();
    if (x < 0) abort();
  }
  return unused;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, worker, 0);
}
