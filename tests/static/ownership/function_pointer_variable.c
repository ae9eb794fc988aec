// SPDX-License-Identifier: Apache-2.0
// race-free: the function that is called is always the locking one
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void locked(void) {
  pthread_mutex_lock(&m);
  shared++;
  pthread_mutex_unlock(&m);
}
static void (*f)(void);
static void *worker(void *unused) {
  f();
  return unused;
}
int main(void) {
  pthread_t a, b;
  f = locked;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return shared;
}
