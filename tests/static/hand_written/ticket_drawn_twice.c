// SPDX-License-Identifier: Apache-2.0
// racy: two threads may draw one ticket
#include <pthread.h>
#include <stdatomic.h>
atomic_uint next, owner;
int x;
void* t1(void* p) {
  unsigned t = atomic_load(&next);
  atomic_store(&next, t + 1);
  while (atomic_load(&owner) != t);
  x++;
  atomic_store(&owner, t + 1);
  return 0;
}
int main() {
  pthread_t t;
  while (1) pthread_create(&t, 0, t1, 0);
}
