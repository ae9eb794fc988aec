// SPDX-License-Identifier: Apache-2.0
// race-free: each thread has its own number
#include <pthread.h>
#define N 50
int a[N];
pthread_t t[N];
void *set(void *p) {
  long i = (long)p;
  a[i] = 1;
  return 0;
}
int main(void) {
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, set, (void *)i);
  for (long i = 0; i < N; i++) pthread_join(t[i], 0);
  return a[3];
}
