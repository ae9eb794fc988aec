// SPDX-License-Identifier: Apache-2.0
// race-free: two critical sections exclude each other by an assumption in a section
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
static int taken, shared;
static void *worker(void *unused) {
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(taken == 0);
  taken = 1;
  __VERIFIER_atomic_end();
  shared++;
  __VERIFIER_atomic_begin();
  taken = 0;
  __VERIFIER_atomic_end();
  return unused;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_create(&c, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return shared;
}
