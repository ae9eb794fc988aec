// SPDX-License-Identifier: Apache-2.0
// racy: two threads may read the same number
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
int* datas;
int next = 0;
pthread_mutex_t next_mutex = PTHREAD_MUTEX_INITIALIZER;
void* thread(void* arg) {
  pthread_mutex_lock(&next_mutex);
  int i = next;
  pthread_mutex_unlock(&next_mutex);
  pthread_mutex_lock(&next_mutex);
  next++;
  pthread_mutex_unlock(&next_mutex);
  datas[i] = __VERIFIER_nondet_int();
  return NULL;
}
int main() {
  int threads_total = __VERIFIER_nondet_int();
  assume_abort_if_not(threads_total >= 0);
  datas = malloc(threads_total * sizeof(int));
  for (int i = 0; i < threads_total; i++) {
    pthread_t tid;
    pthread_create(&tid, NULL, &thread, NULL);
  }
  return 0;
}
