// SPDX-License-Identifier: Apache-2.0
// racy: the lock of the next bucket
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static struct { pthread_mutex_t lock; int value; } buckets[10];
static void *worker(void *unused) {
  int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
  if (i < 0 || i >= 10 || j < 0 || j >= 10) return 0;
  pthread_mutex_lock(&buckets[i].lock);
  buckets[j].value++;
  pthread_mutex_unlock(&buckets[i].lock);
  return unused;
}
int main(void) {
  for (int i = 0; i < 10; i++) pthread_mutex_init(&buckets[i].lock, 0);
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
