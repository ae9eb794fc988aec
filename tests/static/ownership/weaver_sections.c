// SPDX-License-Identifier: Apache-2.0
// race-free: arrays of inputs, sums in atomic sections
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
static int *A, M, N, sum, max;
static void *summing(void *unused) {
  for (int i = 0; i < M; i++) {
    __VERIFIER_atomic_begin();
    sum = sum + A[i];
    __VERIFIER_atomic_end();
  }
  return unused;
}
static void *maximum(void *unused) {
  for (int i = M; i < N; i++) {
    __VERIFIER_atomic_begin();
    if (A[i] > max) max = A[i];
    __VERIFIER_atomic_end();
  }
  return unused;
}
int main(void) {
  pthread_t a, b;
  M = __VERIFIER_nondet_int();
  N = __VERIFIER_nondet_int();
  if (M < 0 || N < M || N > 1000) return 0;
  A = malloc(N * sizeof *A);
  for (int i = 0; i < N; i++) A[i] = __VERIFIER_nondet_int();
  pthread_create(&a, 0, summing, 0);
  pthread_create(&b, 0, maximum, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return sum + max;
}
