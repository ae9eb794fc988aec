// SPDX-License-Identifier: Apache-2.0
// racy: one more is started
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
int done = 0;
pthread_mutex_t am = PTHREAD_MUTEX_INITIALIZER, dm = PTHREAD_MUTEX_INITIALIZER;
int data;
void* thread(void* arg) {
  pthread_mutex_lock(&dm);
  data = 1;
  pthread_mutex_unlock(&dm);
  pthread_mutex_lock(&am);
  done++;
  pthread_mutex_unlock(&am);
  return 0;
}
int main() {
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i <= n; i++) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
  }
  pthread_mutex_lock(&am);
  assume_abort_if_not(done == n);
  pthread_mutex_unlock(&am);
  data = 2;
  return 0;
}
