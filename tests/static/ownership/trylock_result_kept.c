// SPDX-License-Identifier: Apache-2.0
// race-free: the result of a try is kept in a variable
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void *worker(void *unused) {
  int got = pthread_mutex_trylock(&m);
  if (got != 0) pthread_mutex_lock(&m);
  shared++;
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
