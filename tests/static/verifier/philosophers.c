// SPDX-License-Identifier: Apache-2.0
// race-free: forks in an array, taken in order
#include <pthread.h>
#define N 5
static pthread_mutex_t forks[N];
static int meals[N];
static void *philosopher(void *argument) {
  int self = (int)(long)argument;
  int first = self, second = (self + 1) % N;
  if (first > second) {
    first = second;
    second = self;
  }
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    meals[self]++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
  }
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; i++) pthread_mutex_init(&forks[i], 0);
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, philosopher, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return meals[0];
}
