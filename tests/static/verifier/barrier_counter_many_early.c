// SPDX-License-Identifier: Apache-2.0
// racy: the last but one reads
#include <pthread.h>
#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count, cells[N], total;
static void *worker(void *argument) {
  long self = (long)argument;
  cells[self] = 1;
  pthread_mutex_lock(&m);
  int arrived = ++count;
  pthread_mutex_unlock(&m);
  if (arrived == N - 1)
    for (int i = 0; i < N; i++) total += cells[i];
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return total;
}
