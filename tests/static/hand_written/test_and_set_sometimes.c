// SPDX-License-Identifier: Apache-2.0
// racy: the cell is not always set
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
int m = 0, x;
int tas(void) {
  int r;
  __VERIFIER_atomic_begin();
  r = m;
  if (__VERIFIER_nondet_int()) m = 1;
  __VERIFIER_atomic_end();
  return r;
}
void rel(void) {
  __VERIFIER_atomic_begin();
  m = 0;
  __VERIFIER_atomic_end();
}
void* t1(void* a) {
  if (tas() == 0) {
    x++;
    rel();
  }
  return 0;
}
int main() {
  pthread_t t;
  while (1) {
    pthread_create(&t, 0, t1, 0);
  }
}
