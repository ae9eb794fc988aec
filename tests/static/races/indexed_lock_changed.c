// SPDX-License-Identifier: Apache-2.0
// racy: the index changes under the lock
#include <pthread.h>
int a[11];
pthread_mutex_t m[11];
extern int __VERIFIER_nondet_int(void);
void *work(void *unused) {
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i >= 10) return 0;
  pthread_mutex_lock(&m[i]);
  int j = i;
  i++;
  a[i]++;
  pthread_mutex_unlock(&m[j]);
  if (__VERIFIER_nondet_int()) {
    pthread_mutex_lock(&m[i]);
    a[i]++;
    pthread_mutex_unlock(&m[i]);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, work, 0);
  return 0;
}
