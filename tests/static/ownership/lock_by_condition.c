// SPDX-License-Identifier: Apache-2.0
// race-free: locked and unlocked under one condition
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void *worker(void *unused) {
  int with = __VERIFIER_nondet_int();
  if (with) pthread_mutex_lock(&m);
  if (with) shared++;
  if (with) pthread_mutex_unlock(&m);
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
