// SPDX-License-Identifier: Apache-2.0
// race-free: Peterson's algorithm in atomic sections
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
static int flag1, flag2, turn, shared;
static int blocked1(void) {
  __VERIFIER_atomic_begin();
  int blocked = flag2 == 1 && turn == 1;
  __VERIFIER_atomic_end();
  return blocked;
}
static int blocked2(void) {
  __VERIFIER_atomic_begin();
  int blocked = flag1 == 1 && turn == 0;
  __VERIFIER_atomic_end();
  return blocked;
}
static void put(int *place, int value) {
  __VERIFIER_atomic_begin();
  *place = value;
  __VERIFIER_atomic_end();
}
static void *first(void *unused) {
  (void)unused;
  put(&flag1, 1);
  put(&turn, 1);
  while (blocked1()) {
  }
  shared++;
  put(&flag1, 0);
  return 0;
}
static void *second(void *unused) {
  (void)unused;
  put(&flag2, 1);
  put(&turn, 0);
  while (blocked2()) {
  }
  shared--;
  put(&flag2, 0);
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
