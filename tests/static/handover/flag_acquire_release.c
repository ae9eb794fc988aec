// SPDX-License-Identifier: Apache-2.0
// race-free: data is handed over with release and acquire
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int ready;
static void *producer(void *unused) {
  (void)unused;
  data = 42;
  atomic_store_explicit(&ready, 1, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  if (atomic_load_explicit(&ready, memory_order_acquire)) return data;
  return 0;
}
