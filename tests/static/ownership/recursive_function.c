// SPDX-License-Identifier: Apache-2.0
// race-free: a recursive function that locks
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void work(int depth) {
  if (depth == 0) return;
  pthread_mutex_lock(&m);
  shared++;
  pthread_mutex_unlock(&m);
  work(depth - 1);
}
static void *worker(void *unused) {
  work(5);
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
