// SPDX-License-Identifier: Apache-2.0
// race-free: double-checked initialization with an atomic pointer
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int *) instance;
static int *get(void) {
  int *p = instance;
  if (!p) {
    pthread_mutex_lock(&m);
    p = instance;
    if (!p) {
      p = malloc(sizeof *p);
      *p = 42;
      instance = p;
    }
    pthread_mutex_unlock(&m);
  }
  return p;
}
static void *worker(void *unused) {
  (void)unused;
  return (void *)(long)*get();
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
