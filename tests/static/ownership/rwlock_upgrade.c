// SPDX-License-Identifier: Apache-2.0
// race-free: written under the writing lock only
#include <pthread.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int shared;
static void *worker(void *unused) {
  pthread_rwlock_rdlock(&l);
  int seen = shared;
  pthread_rwlock_unlock(&l);
  pthread_rwlock_wrlock(&l);
  shared = seen + 1;
  pthread_rwlock_unlock(&l);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return shared;
}
