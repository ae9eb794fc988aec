// SPDX-License-Identifier: Apache-2.0
// race-free: an object is filled, then published under a lock, and only read from then on
#include <pthread.h>
#include <stdlib.h>
struct config { int a, b; };
static struct config *current;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *setter(void *unused) {
  struct config *c = malloc(sizeof *c);
  c->a = 1;
  c->b = 2;
  pthread_mutex_lock(&m);
  current = c;
  pthread_mutex_unlock(&m);
  return unused;
}
static void *getter(void *unused) {
  pthread_mutex_lock(&m);
  struct config *c = current;
  pthread_mutex_unlock(&m);
  return c && c->a == c->b ? unused : 0;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, setter, 0);
  pthread_create(&b, 0, getter, 0);
  pthread_create(&c, 0, setter, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
