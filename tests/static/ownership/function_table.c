// SPDX-License-Identifier: Apache-2.0
// race-free: handlers in a table, under one lock
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void add(void) { shared++; }
static void sub(void) { shared--; }
static void (*const handlers[])(void) = {add, sub};
extern int __VERIFIER_nondet_int(void);
static void *worker(void *unused) {
  pthread_mutex_lock(&m);
  handlers[__VERIFIER_nondet_int() & 1]();
  pthread_mutex_unlock(&m);
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
