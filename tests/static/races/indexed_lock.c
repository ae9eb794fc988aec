// SPDX-License-Identifier: Apache-2.0
// race-free: the i-th lock protects the i-th element
#include <pthread.h>
int a[10];
pthread_mutex_t m[10];
extern int __VERIFIER_nondet_int(void);
void *work(void *unused) {
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i >= 10) return 0;
  pthread_mutex_lock(&m[i]);
  a[i]++;
  pthread_mutex_unlock(&m[i]);
  return 0;
}
int main(void) {
  for (int i = 0; i < 10; i++) pthread_mutex_init(&m[i], 0);
  pthread_t t;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, work, 0);
  return 0;
}
