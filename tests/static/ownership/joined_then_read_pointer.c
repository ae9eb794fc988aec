// SPDX-License-Identifier: Apache-2.0
// race-free: each element is read in the round that joins its thread
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
void* thread(void* arg) {
  int* p = arg;
  *p = __VERIFIER_nondet_int();
  return NULL;
}
int main() {
  int threads_total = __VERIFIER_nondet_int();
  assume_abort_if_not(threads_total >= 0);
  pthread_t* tids = malloc(threads_total * sizeof(pthread_t));
  int* datas = malloc(threads_total * sizeof(int));
  for (int i = 0; i < threads_total; i++) {
    datas[i] = 0;
    pthread_create(&tids[i], NULL, &thread, &datas[i]);
  }
  for (int i = 0; i < threads_total; i++) {
    pthread_join(tids[i], NULL);
  }
  free(tids);
  return 0;
}
