// SPDX-License-Identifier: Apache-2.0
// race-free: the lock is held on those paths on which the state says so
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void *worker(void *unused) {
  int has = 0;
  while (__VERIFIER_nondet_int()) {
    if (has) {
      shared++;
      pthread_mutex_unlock(&m);
      has = 0;
    } else {
      pthread_mutex_lock(&m);
      has = 1;
    }
  }
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
