// SPDX-License-Identifier: Apache-2.0
// race-free: each round writes to its element before the thread starts
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
int* datas;
void* thread(void* arg) {
  int i = (int)(long)arg;
  datas[i]++;
  return NULL;
}
int main() {
  int threads_total = __VERIFIER_nondet_int();
  assume_abort_if_not(threads_total >= 0);
  datas = malloc(threads_total * sizeof(int));
  for (int i = 0; i < threads_total; i++) {
    pthread_t tid;
    datas[i] = __VERIFIER_nondet_int();
    pthread_create(&tid, NULL, &thread, (void*)(long)i);
  }
  return 0;
}
