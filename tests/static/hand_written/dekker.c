// SPDX-License-Identifier: Apache-2.0
// race-free: Dekker's algorithm
#include <pthread.h>
#include <stdatomic.h>
static atomic_int wants1, wants2, turn;
static int shared;
static void *first(void *unused) {
  (void)unused;
  wants1 = 1;
  while (wants2 == 1) {
    if (turn != 0) {
      wants1 = 0;
      while (turn != 0) {
      }
      wants1 = 1;
    }
  }
  shared++;
  turn = 1;
  wants1 = 0;
  return 0;
}
static void *second(void *unused) {
  (void)unused;
  wants2 = 1;
  while (wants1 == 1) {
    if (turn != 1) {
      wants2 = 0;
      while (turn != 1) {
      }
      wants2 = 1;
    }
  }
  shared--;
  turn = 0;
  wants2 = 0;
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
