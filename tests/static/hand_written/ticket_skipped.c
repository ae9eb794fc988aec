// SPDX-License-Identifier: Apache-2.0
// racy: somebody who is not at the head moves the queue on
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
#include <stdatomic.h>
atomic_uint next, owner;
int x;
void* t1(void* p) {
  unsigned t = atomic_fetch_add(&next, 1);
  if (__VERIFIER_nondet_int()) atomic_fetch_add(&owner, 1);
  while (atomic_load(&owner) != t);
  x++;
  atomic_fetch_add(&owner, 1);
  return 0;
}
int main() {
  pthread_t t;
  while (1) pthread_create(&t, 0, t1, 0);
}
