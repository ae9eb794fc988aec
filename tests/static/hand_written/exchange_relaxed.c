// SPDX-License-Identifier: Apache-2.0
// racy: taking the lock orders nothing
#include <pthread.h>
#include <stdatomic.h>
atomic_int l;
int x;
void* t1(void* a) {
  while (atomic_exchange_explicit(&l, 1, memory_order_relaxed));
  x++;
  atomic_store_explicit(&l, 0, memory_order_release);
  return 0;
}
int main() {
  pthread_t t;
  while (1) pthread_create(&t, 0, t1, 0);
}
