// SPDX-License-Identifier: Apache-2.0
// racy: the counter is not always increased
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int* datas;
int next = 0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void* thread(void* arg) {
  pthread_mutex_lock(&m);
  int i = next;
  if (__VERIFIER_nondet_int()) next++;
  pthread_mutex_unlock(&m);
  datas[i] = __VERIFIER_nondet_int();
  return NULL;
}
int main() {
  datas = malloc(1000 * sizeof(int));
  while (__VERIFIER_nondet_int()) {
    pthread_t tid;
    pthread_create(&tid, NULL, &thread, NULL);
  }
  return 0;
}
