// SPDX-License-Identifier: Apache-2.0
// race-free: two threads take turns
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static int shared;
static void *first(void *unused) {
  (void)unused;
  for (int i = 0; i < 10; i++) {
    while (turn != 0) {
    }
    shared++;
    turn = 1;
  }
  return 0;
}
static void *second(void *unused) {
  (void)unused;
  for (int i = 0; i < 10; i++) {
    while (turn != 1) {
    }
    shared--;
    turn = 0;
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return shared;
}
