// SPDX-License-Identifier: Apache-2.0
// racy: the thread goes on after it has counted itself out
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
int alive = 0;
pthread_mutex_t am = PTHREAD_MUTEX_INITIALIZER, dm = PTHREAD_MUTEX_INITIALIZER;
int data;
void* thread(void* arg) {
  pthread_mutex_lock(&am);
  alive--;
  pthread_mutex_unlock(&am);
  pthread_mutex_lock(&dm);
  data = 1;
  pthread_mutex_unlock(&dm);
  return 0;
}
int main() {
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) {
    pthread_t t;
    pthread_mutex_lock(&am);
    alive++;
    pthread_mutex_unlock(&am);
    pthread_create(&t, 0, thread, 0);
  }
  pthread_mutex_lock(&am);
  assume_abort_if_not(alive == 0);
  pthread_mutex_unlock(&am);
  data = 2;
  return 0;
}
