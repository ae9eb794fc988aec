// SPDX-License-Identifier: Apache-2.0
// racy: a thread gives back a lock it does not hold
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
void* t2(void* a) {
  rel();
  acq();
  x++;
  rel();
  return 0;
}
int main() {
  pthread_t t;
  while (1) {
    pthread_create(&t, 0, t1, 0);
    pthread_create(&t, 0, t2, 0);
  }
}
