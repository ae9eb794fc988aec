// SPDX-License-Identifier: Apache-2.0
// unproved: two threads, two halves of an array whose length is an input
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int *a, n;
static void *low(void *unused) {
  for (int i = 0; i < n / 2; i++) a[i] = 0;
  return unused;
}
static void *high(void *unused) {
  for (int i = n / 2; i < n; i++) a[i] = 1;
  return unused;
}
int main(void) {
  n = __VERIFIER_nondet_int();
  if (n < 0 || n > 10000) return 0;
  a = malloc(n * sizeof *a);
  pthread_t s, t;
  pthread_create(&s, 0, low, 0);
  pthread_create(&t, 0, high, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return 0;
}
