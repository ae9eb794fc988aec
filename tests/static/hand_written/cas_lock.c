// SPDX-License-Identifier: Apache-2.0
// race-free: a lock taken with compare-and-swap
#include <pthread.h>
static int lock, shared;
static void *worker(void *unused) {
  (void)unused;
  while (!__sync_bool_compare_and_swap(&lock, 0, 1)) {
  }
  shared++;
  __sync_lock_release(&lock);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return shared;
}
