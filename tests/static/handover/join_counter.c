// SPDX-License-Identifier: Apache-2.0
// race-free: main waits until a counter says that all are done
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done, a, b;
static void finish(void) {
  pthread_mutex_lock(&m);
  done++;
  pthread_mutex_unlock(&m);
}
static void *first(void *unused) {
  a = 1;
  finish();
  return unused;
}
static void *second(void *unused) {
  b = 1;
  finish();
  return unused;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, first, 0);
  pthread_create(&t, 0, second, 0);
  for (;;) {
    pthread_mutex_lock(&m);
    int all = done == 2;
    pthread_mutex_unlock(&m);
    if (all) break;
  }
  return a + b;
}
