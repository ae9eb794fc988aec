// SPDX-License-Identifier: Apache-2.0
// race-free: any number of threads, and a lock taken by an atomic function
#include <pthread.h>
static int lock, shared;
static void __VERIFIER_atomic_acquire(int *got) {
  *got = lock == 0;
  if (*got) lock = 1;
}
static void __VERIFIER_atomic_release(void) { lock = 0; }
static void *worker(void *unused) {
  (void)unused;
  int got = 0;
  do {
    __VERIFIER_atomic_acquire(&got);
  } while (!got);
  shared = 1;
  shared = 0;
  __VERIFIER_atomic_release();
  return 0;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, worker, 0);
}
