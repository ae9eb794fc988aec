// SPDX-License-Identifier: Apache-2.0
// race-free: Szymanski's algorithm for two, with assumptions instead of loops
#include <pthread.h>
#include <stdlib.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
static int flag1, flag2, shared;
#define ATOMIC(x) __VERIFIER_atomic_begin(); x; __VERIFIER_atomic_end()
static void *first(void *unused) {
  (void)unused;
  int other;
  ATOMIC(flag1 = 1);
  ATOMIC(other = flag2);
  assume_abort_if_not(other < 3);
  ATOMIC(flag1 = 3);
  ATOMIC(other = flag2);
  if (other == 1) {
    ATOMIC(flag1 = 2);
    ATOMIC(other = flag2);
    assume_abort_if_not(other == 4);
  }
  ATOMIC(flag1 = 4);
  ATOMIC(other = flag2);
  assume_abort_if_not(other < 2);
  shared = 1;
  ATOMIC(other = flag2);
  assume_abort_if_not(2 > other || other > 3);
  ATOMIC(flag1 = 0);
  return 0;
}
static void *second(void *unused) {
  (void)unused;
  int other;
  ATOMIC(flag2 = 1);
  ATOMIC(other = flag1);
  assume_abort_if_not(other < 3);
  ATOMIC(flag2 = 3);
  ATOMIC(other = flag1);
  if (other == 1) {
    ATOMIC(flag2 = 2);
    ATOMIC(other = flag1);
    assume_abort_if_not(other == 4);
  }
  ATOMIC(flag2 = 4);
  ATOMIC(other = flag1);
  assume_abort_if_not(other < 2);
  shared = 2;
  ATOMIC(other = flag1);
  assume_abort_if_not(2 > other || other > 3);
  ATOMIC(flag2 = 0);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
