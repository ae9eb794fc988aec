// SPDX-License-Identifier: Apache-2.0
// racy: a relaxed flag orders nothing
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int ready;
static void *producer(void *unused) {
  (void)unused;
  data = 42;
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  while (!atomic_load_explicit(&ready, memory_order_acquire)) {
  }
  return data;
}
