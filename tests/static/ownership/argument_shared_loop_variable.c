// SPDX-License-Identifier: Apache-2.0
// racy: the threads read the counter of the loop
#include <pthread.h>
static int sum[4];
static void *worker(void *argument) {
  int i = *(int *)argument;
  sum[i & 3]++;
  return 0;
}
int main(void) {
  pthread_t t[4];
  int i;
  for (i = 0; i < 4; i++) pthread_create(&t[i], 0, worker, &i);
  for (i = 0; i < 4; i++) pthread_join(t[i], 0);
  return 0;
}
