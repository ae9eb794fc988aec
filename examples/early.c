// SPDX-License-Identifier: Apache-2.0

// The second thread writes `x` only if it comes before the first one's critical section. A run in
// which it comes after says nothing about that write.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, done;

static void *first(void *unused) {
  // Not locked: the author thinks that `done` says who may touch it.
  x = 1;
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *second(void *unused) {
  pthread_mutex_lock(&lock);
  int seen = done;
  pthread_mutex_unlock(&lock);
  if (!seen) x = 2;
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return x > 2;
}
