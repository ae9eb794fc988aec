// SPDX-License-Identifier: Apache-2.0
// unproved: the lock is found by a global pointer that is set once
#include <pthread.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *lock;
static int shared;
extern int __VERIFIER_nondet_int(void);
static void *worker(void *unused) {
  pthread_mutex_lock(lock);
  shared++;
  pthread_mutex_unlock(lock);
  return unused;
}
int main(void) {
  pthread_t a, b;
  lock = __VERIFIER_nondet_int() ? &one : &two;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return shared;
}
