// SPDX-License-Identifier: Apache-2.0
// race-free: each thread has its own element
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int a[1000];
pthread_t t[1000];
void *set(void *p) {
  int *mine = p;
  *mine = *mine + 1;
  return 0;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000) return 0;
  for (int i = 0; i < n; i++) {
    a[i] = i;
    pthread_create(&t[i], 0, set, &a[i]);
  }
  for (int i = 0; i < n; i++) pthread_join(t[i], 0);
  return a[0];
}
