// SPDX-License-Identifier: Apache-2.0
// racy: one of the two functions does not lock
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void locked(void) {
  pthread_mutex_lock(&m);
  shared++;
  pthread_mutex_unlock(&m);
}
static void unlocked(void) { shared++; }
static void (*f)(void);
extern int __VERIFIER_nondet_int(void);
static void *worker(void *unused) {
  f();
  return unused;
}
int main(void) {
  pthread_t a, b;
  f = __VERIFIER_nondet_int() ? locked : unlocked;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return shared;
}
