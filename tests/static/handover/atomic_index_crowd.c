// SPDX-License-Identifier: Apache-2.0
// race-free: indices for any number of threads
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static atomic_int next;
static int *slots;
static void *worker(void *unused) {
  (void)unused;
  int mine = atomic_fetch_add(&next, 1);
  slots[mine] = mine;
  return 0;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 1000) return 0;
  slots = calloc(n, sizeof *slots);
  pthread_t t;
  for (int i = 0; i < n; i++) pthread_create(&t, 0, worker, 0);
  return 0;
}
