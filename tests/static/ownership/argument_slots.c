// SPDX-License-Identifier: Apache-2.0
// race-free: each thread fills the element it was given
#include <pthread.h>
#define N 10
static int cells[N];
static void *worker(void *argument) {
  int *cell = argument;
  for (int i = 0; i < 100; i++) *cell += i;
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; i++) pthread_create(&t[i], 0, worker, &cells[i]);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return cells[3];
}
