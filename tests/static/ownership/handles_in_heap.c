// SPDX-License-Identifier: Apache-2.0
// race-free: handles in allocated memory, a number of threads that is an input
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *unused) {
  pthread_mutex_lock(&m);
  total++;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 100) return 0;
  pthread_t *t = malloc(n * sizeof *t);
  for (int i = 0; i < n; i++) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < n; i++) pthread_join(t[i], 0);
  return total;
}
