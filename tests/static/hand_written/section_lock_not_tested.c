// SPDX-License-Identifier: Apache-2.0
// racy: the lock is taken without looking, sometimes
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
int m = 0, x;
void acq(void) {
  __VERIFIER_atomic_begin();
  if (__VERIFIER_nondet_int()) assume_abort_if_not(m == 0);
  m = 1;
  __VERIFIER_atomic_end();
}
void rel(void) {
  __VERIFIER_atomic_begin();
  m = 0;
  __VERIFIER_atomic_end();
}
void* t1(void* a) {
  acq();
  x++;
  rel();
  return 0;
}
int main() {
  pthread_t t;
  while (1) {
    pthread_create(&t, 0, t1, 0);
  }
}
