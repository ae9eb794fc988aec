// SPDX-License-Identifier: Apache-2.0
// racy: what is expected becomes one
#include <pthread.h>
#include <stdatomic.h>
atomic_int l;
int x, y[10];
void* t1(void* a) {
  for (int i = 0; i < 10; i++) {
    int e = 0;
    while (!atomic_compare_exchange_weak_explicit(&l, &e, 1, memory_order_acquire,
                                                  memory_order_relaxed));
    x++;
    y[i] = x;
    atomic_store_explicit(&l, 0, memory_order_release);
  }
  return 0;
}
int main() {
  pthread_t t;
  while (1) pthread_create(&t, 0, t1, 0);
}
