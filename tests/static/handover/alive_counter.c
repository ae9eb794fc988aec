// SPDX-License-Identifier: Apache-2.0
// race-free: threads are counted before they start and after they are done
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
int threads_alive = 0;
pthread_mutex_t threads_alive_mutex = PTHREAD_MUTEX_INITIALIZER;
int data = 0;
pthread_mutex_t data_mutex = PTHREAD_MUTEX_INITIALIZER;
void* thread(void* arg) {
  pthread_mutex_lock(&data_mutex);
  data = __VERIFIER_nondet_int();
  pthread_mutex_unlock(&data_mutex);
  pthread_mutex_lock(&threads_alive_mutex);
  threads_alive--;
  pthread_mutex_unlock(&threads_alive_mutex);
  return NULL;
}
int main() {
  int threads_total = __VERIFIER_nondet_int();
  assume_abort_if_not(threads_total >= 0);
  for (int i = 0; i < threads_total; i++) {
    pthread_t tid;
    pthread_mutex_lock(&threads_alive_mutex);
    threads_alive++;
    pthread_mutex_unlock(&threads_alive_mutex);
    pthread_create(&tid, NULL, &thread, NULL);
  }
  pthread_mutex_lock(&data_mutex);
  data = __VERIFIER_nondet_int();
  pthread_mutex_unlock(&data_mutex);
  pthread_mutex_lock(&threads_alive_mutex);
  assume_abort_if_not(threads_alive == 0);
  pthread_mutex_unlock(&threads_alive_mutex);
  data = __VERIFIER_nondet_int();
  return data;
}
