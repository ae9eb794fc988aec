// SPDX-License-Identifier: Apache-2.0
// race-free: each thread has its part of an array
#include <pthread.h>
#define N 4
#define SIZE 100
static int data[SIZE];
static void *worker(void *argument) {
  int self = (int)(long)argument;
  for (int i = self * (SIZE / N); i < (self + 1) * (SIZE / N); i++) data[i] = i;
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return data[7];
}
