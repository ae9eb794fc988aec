// SPDX-License-Identifier: Apache-2.0
// racy: the head of the queue is read relaxed
#include <pthread.h>
#include <stdatomic.h>
atomic_uint next, owner;
int x;
void* t1(void* p) {
  unsigned t = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&owner, memory_order_relaxed) != t);
  x++;
  atomic_store_explicit(&owner, t + 1, memory_order_release);
  return 0;
}
int main() {
  pthread_t t;
  while (1) pthread_create(&t, 0, t1, 0);
}
