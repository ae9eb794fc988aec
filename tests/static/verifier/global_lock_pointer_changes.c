// SPDX-License-Identifier: Apache-2.0
// racy: the pointer to the lock changes
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(pthread_mutex_t *) lock = &one;
static int shared;
static void *worker(void *unused) {
  pthread_mutex_t *l = lock;
  pthread_mutex_lock(l);
  shared++;
  pthread_mutex_unlock(l);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  lock = &two;
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return shared;
}
