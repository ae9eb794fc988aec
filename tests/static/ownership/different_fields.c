// SPDX-License-Identifier: Apache-2.0
// race-free: two threads, two fields
#include <pthread.h>
static struct { int a, b; } s;
static void *first(void *unused) { s.a = 1; return unused; }
static void *second(void *unused) { s.b = 1; return unused; }
int main(void) {
  pthread_t x, y;
  pthread_create(&x, 0, first, 0);
  pthread_create(&y, 0, second, 0);
  pthread_join(x, 0);
  pthread_join(y, 0);
  return s.a + s.b;
}
