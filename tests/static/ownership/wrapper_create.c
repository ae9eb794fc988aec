// SPDX-License-Identifier: Apache-2.0
// race-free: threads are started by a wrapper with the function as an argument
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared, alone;
static void *first(void *unused) {
  pthread_mutex_lock(&m);
  shared++;
  pthread_mutex_unlock(&m);
  alone = 1;
  return unused;
}
static void *second(void *unused) {
  pthread_mutex_lock(&m);
  shared--;
  pthread_mutex_unlock(&m);
  return unused;
}
static pthread_t start(void *(*f)(void *)) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  return t;
}
int main(void) {
  pthread_t a = start(first), b = start(second);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return shared + alone;
}
