// SPDX-License-Identifier: Apache-2.0
// race-free: the second loop joins what the first has started
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int x;
pthread_mutex_t m;
void *add(void *unused) {
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 1000) return 0;
  pthread_t *t = malloc(n * sizeof *t);
  for (int i = 0; i < n; i++) pthread_create(&t[i], 0, add, 0);
  for (int i = 0; i < n; i++) pthread_join(t[i], 0);
  return x;
}
