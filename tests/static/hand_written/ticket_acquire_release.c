// SPDX-License-Identifier: Apache-2.0
// race-free: tickets with acquire and release, any number of threads
#include <pthread.h>
#include <stdatomic.h>
atomic_uint next, owner;
int x;
void* t1(void* p) {
  unsigned t = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&owner, memory_order_acquire) != t);
  x++;
  atomic_store_explicit(&owner, t + 1, memory_order_release);
  return 0;
}
int main() {
  pthread_t t;
  while (1) pthread_create(&t, 0, t1, 0);
}
