// SPDX-License-Identifier: Apache-2.0
// racy: between the look and the write is a gap
#include <pthread.h>
#include <stdlib.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
int m = 0, x;
void acq(void) {
  __VERIFIER_atomic_begin();
  assume_abort_if_not(m == 0);
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
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
