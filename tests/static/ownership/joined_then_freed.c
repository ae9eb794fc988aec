// SPDX-License-Identifier: Apache-2.0
// race-free: as many joins as starts; the handles are freed afterwards
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
  int threads_total = __VERIFIER_nondet_int();
  assume_abort_if_not(threads_total >= 0);
  pthread_t* tids = malloc(threads_total * sizeof(pthread_t));
  datas = malloc(threads_total * sizeof(int));
  for (int i = 0; i < threads_total; i++) pthread_create(&tids[i], NULL, &thread, (void*)(long)i);
  for (int i = 0; i < threads_total; i++) pthread_join(tids[i], NULL);
  int sum = 0;
  for (int i = 0; i < threads_total; i++) sum += datas[i];
  free(tids);
  free(datas);
  return sum;
}
