// SPDX-License-Identifier: Apache-2.0
// racy: the counter is read relaxed
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
#include <stdatomic.h>
atomic_int alive;
int data;
pthread_mutex_t dm = PTHREAD_MUTEX_INITIALIZER;
void* thread(void* arg) {
  pthread_mutex_lock(&dm);
  data = 1;
  pthread_mutex_unlock(&dm);
  atomic_fetch_sub(&alive, 1);
  return 0;
}
int main() {
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) {
    pthread_t t;
    atomic_fetch_add(&alive, 1);
    pthread_create(&t, 0, thread, 0);
  }
  while (atomic_load_explicit(&alive, memory_order_relaxed) > 0);
  data = 2;
  return 0;
}
