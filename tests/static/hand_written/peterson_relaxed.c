// SPDX-License-Identifier: Apache-2.0
// racy: Peterson's algorithm with accesses that may pass each other
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag1, flag2, turn;
static int shared;
#define PUT(x, v) atomic_store_explicit(&x, v, memory_order_release)
#define GET(x) atomic_load_explicit(&x, memory_order_acquire)
static void *first(void *unused) {
  (void)unused;
  PUT(flag1, 1);
  PUT(turn, 1);
  while (GET(flag2) == 1 && GET(turn) == 1) {
  }
  shared++;
  PUT(flag1, 0);
  return 0;
}
static void *second(void *unused) {
  (void)unused;
  PUT(flag2, 1);
  PUT(turn, 0);
  while (GET(flag1) == 1 && GET(turn) == 0) {
  }
  shared--;
  PUT(flag2, 0);
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
