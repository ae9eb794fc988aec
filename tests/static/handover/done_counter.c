// SPDX-License-Identifier: Apache-2.0
// race-free: as many are done as a loop has started
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
int done = 0;
pthread_mutex_t me = PTHREAD_MUTEX_INITIALIZER;
int data = 0;
pthread_mutex_t dm = PTHREAD_MUTEX_INITIALIZER;
void* thread(void* arg) {
  pthread_mutex_lock(&dm);
  data = __VERIFIER_nondet_int();
  pthread_mutex_unlock(&dm);
  pthread_mutex_lock(&me);
  done++;
  pthread_mutex_unlock(&me);
  return NULL;
}
int main() {
  int total = __VERIFIER_nondet_int();
  assume_abort_if_not(total >= 0);
  for (int i = 0; i < total; i++) {
    pthread_t tid;
    pthread_create(&tid, NULL, &thread, NULL);
  }
  pthread_mutex_lock(&me);
  assume_abort_if_not(done == total);
  pthread_mutex_unlock(&me);
  data = __VERIFIER_nondet_int();
  return data;
}
