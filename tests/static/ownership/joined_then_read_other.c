// SPDX-License-Identifier: Apache-2.0
// racy: the element of the thread that is joined in the next round
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
int* datas;
void* thread(void* arg) {
  int i = (int)(long)arg;
  datas[i] = __VERIFIER_nondet_int();
  return NULL;
}
int main() {
  int n = __VERIFIER_nondet_int();
  assume_abort_if_not(n >= 0);
  pthread_t* tids = malloc(n * sizeof(pthread_t));
  datas = malloc((n + 1) * sizeof(int));
  for (int i = 0; i < n; i++) pthread_create(&tids[i], NULL, &thread, (void*)(long)i);
  int sum = 0;
  for (int i = 0; i < n; i++) {
    pthread_join(tids[i], NULL);
    sum += datas[i + 1];
  }
  return sum;
}
