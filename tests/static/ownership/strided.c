// SPDX-License-Identifier: Apache-2.0
// race-free: each thread has every fourth element
#include <pthread.h>
#define N 4
static int data[64];
static void *worker(void *argument) {
  int self = (int)(long)argument;
  for (int i = self; i < 64; i += N) data[i] = i;
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return data[7];
}
