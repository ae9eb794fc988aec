// SPDX-License-Identifier: Apache-2.0
// racy: looked at in one section, set in the next
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
static int taken, shared;
static void *worker(void *unused) {
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(taken == 0);
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  taken = 1;
  __VERIFIER_atomic_end();
  shared++;
  __VERIFIER_atomic_begin();
  taken = 0;
  __VERIFIER_atomic_end();
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return shared;
}
