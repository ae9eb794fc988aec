// SPDX-License-Identifier: Apache-2.0
// race-free: a barrier made of a counter, a mutex and a condition
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int arrived, a, b;
static void meet(void) {
  pthread_mutex_lock(&m);
  arrived++;
  if (arrived == 2)
    pthread_cond_broadcast(&c);
  else
    while (arrived < 2) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
}
static void *first(void *unused) {
  a = 1;
  meet();
  return unused ? 0 : (void *)(long)b;
}
static void *second(void *unused) {
  b = 1;
  meet();
  return unused ? 0 : (void *)(long)a;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, first, 0);
  pthread_create(&t, 0, second, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return 0;
}
