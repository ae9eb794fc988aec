// SPDX-License-Identifier: Apache-2.0
// race-free: joined from the other end
#include <pthread.h>
#define N 100
int a[N];
pthread_t t[N];
void *set(void *p) {
  *(int *)p = 1;
  return 0;
}
int main(void) {
  for (int i = 0; i < N; i++) pthread_create(&t[i], 0, set, &a[i]);
  for (int i = N - 1; i >= 0; i--) pthread_join(t[i], 0);
  return a[7];
}
