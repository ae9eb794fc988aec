// SPDX-License-Identifier: Apache-2.0
// race-free: own cells before the barrier, those of neighbors after it
#include <pthread.h>
#define N 3
static pthread_barrier_t barrier;
static int cells[N], sums[N];
static void *worker(void *argument) {
  long self = (long)argument;
  cells[self] = (int)self;
  pthread_barrier_wait(&barrier);
  sums[self] = cells[(self + 1) % N] + cells[self];
  return 0;
}
int main(void) {
  pthread_t t[N];
  pthread_barrier_init(&barrier, 0, N);
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return sums[0];
}
