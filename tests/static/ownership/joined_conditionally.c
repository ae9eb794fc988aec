// SPDX-License-Identifier: Apache-2.0
// race-free: joined if it was started
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static int shared;
static void *worker(void *unused) {
  shared = 1;
  return unused;
}
int main(void) {
  pthread_t t;
  int start = __VERIFIER_nondet_int() != 0;
  if (start) pthread_create(&t, 0, worker, 0);
  if (start) pthread_join(t, 0);
  return shared;
}
