// SPDX-License-Identifier: Apache-2.0
// race-free: the bakery algorithm for two, each once
#include <pthread.h>
#include <stdatomic.h>
static atomic_int e1, e2, n1, n2;
static int shared;
static void *first(void *unused) {
  (void)unused;
  e1 = 1;
  int mine = n2 + 1;
  n1 = mine;
  e1 = 0;
  while (e2) {
  }
  int theirs;
  do {
    theirs = n2;
  } while (theirs != 0 && theirs < mine);
  shared = 1;
  n1 = 0;
  return 0;
}
static void *second(void *unused) {
  (void)unused;
  e2 = 1;
  int mine = n1 + 1;
  n2 = mine;
  e2 = 0;
  while (e1) {
  }
  int theirs;
  do {
    theirs = n1;
  } while (theirs != 0 && theirs <= mine);
  shared = 2;
  n2 = 0;
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
