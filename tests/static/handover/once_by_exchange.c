// SPDX-License-Identifier: Apache-2.0
// race-free: only who sees the old value initializes
#include <pthread.h>
#include <stdatomic.h>
static atomic_int started;
static int data;
static void *worker(void *unused) {
  (void)unused;
  if (atomic_exchange(&started, 1) == 0) data = 1;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return data;
}
