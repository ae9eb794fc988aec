// SPDX-License-Identifier: Apache-2.0
// racy: each gives the turn to itself
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag1, flag2, turn;
static int shared;
static void *first(void *unused) {
  (void)unused;
  flag1 = 1;
  turn = 0;
  while (flag2 == 1 && turn == 1) {
  }
  shared++;
  flag1 = 0;
  return 0;
}
static void *second(void *unused) {
  (void)unused;
  flag2 = 1;
  turn = 1;
  while (flag1 == 1 && turn == 0) {
  }
  shared--;
  flag2 = 0;
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
