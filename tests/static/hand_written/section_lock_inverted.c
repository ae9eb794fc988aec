// SPDX-License-Identifier: Apache-2.0
// racy: one means that somebody was here
#include <pthread.h>
#include <stdlib.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
int m = 0, x;
void acq(void) {
  __VERIFIER_atomic_begin();
  assume_abort_if_not(m == 1);
  m = 1;
  __VERIFIER_atomic_end();
}
void* t1(void* a) {
  acq();
  x++;
  return 0;
}
void* t2(void* a) {
  __VERIFIER_atomic_begin();
  m = 1;
  __VERIFIER_atomic_end();
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, t2, 0);
  while (1) {
    pthread_create(&t, 0, t1, 0);
  }
}
