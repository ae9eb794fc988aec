// SPDX-License-Identifier: Apache-2.0
// racy: a barrier for one keeps nobody waiting
#include <pthread.h>
static pthread_barrier_t barrier;
static int a, b;
static void *first(void *unused) {
  (void)unused;
  a = 1;
  pthread_barrier_wait(&barrier);
  int seen = b;
  return (void *)(long)seen;
}
static void *second(void *unused) {
  (void)unused;
  b = 1;
  pthread_barrier_wait(&barrier);
  int seen = a;
  return (void *)(long)seen;
}
int main(void) {
  pthread_t s, t;
  pthread_barrier_init(&barrier, 0, 1);
  pthread_create(&s, 0, first, 0);
  pthread_create(&t, 0, second, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return 0;
}
