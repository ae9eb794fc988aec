// SPDX-License-Identifier: Apache-2.0
// race-free: Lamport's fast mutual exclusion for two
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, b1, b2;
static int shared;
static void *first(void *unused) {
  (void)unused;
  while (1) {
    b1 = 1;
    x = 1;
    if (y != 0) {
      b1 = 0;
      while (y != 0) {
      }
      continue;
    }
    y = 1;
    if (x != 1) {
      b1 = 0;
      while (b2 >= 1) {
      }
      if (y != 1) {
        while (y != 0) {
        }
        continue;
      }
    }
    break;
  }
  shared = 1;
  y = 0;
  b1 = 0;
  return 0;
}
static void *second(void *unused) {
  (void)unused;
  while (1) {
    b2 = 1;
    x = 2;
    if (y != 0) {
      b2 = 0;
      while (y != 0) {
      }
      continue;
    }
    y = 2;
    if (x != 2) {
      b2 = 0;
      while (b1 >= 1) {
      }
      if (y != 2) {
        while (y != 0) {
        }
        continue;
      }
    }
    break;
  }
  shared = 2;
  y = 0;
  b2 = 0;
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
