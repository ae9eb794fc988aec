// SPDX-License-Identifier: Apache-2.0
// racy: each thread also touches the next element
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int a[1001];
pthread_t t[1000];
void *set(void *p) {
  int *mine = p;
  mine[1] = *mine + 1;
  return 0;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000) return 0;
  for (int i = 0; i < n; i++) pthread_create(&t[i], 0, set, &a[i]);
  for (int i = 0; i < n; i++) pthread_join(t[i], 0);
  return a[0];
}
