// SPDX-License-Identifier: Apache-2.0
// unproved: a spin lock with acquire and release
#include <pthread.h>
#include <stdatomic.h>
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int shared;
static void *worker(void *unused) {
  (void)unused;
  while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
  }
  shared++;
  atomic_flag_clear_explicit(&lock, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return shared;
}
