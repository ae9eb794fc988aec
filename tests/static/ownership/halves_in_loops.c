// SPDX-License-Identifier: Apache-2.0
// race-free: one loop ends where the other begins
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int a[100], b[100], c[100];
void* left(void* arg) {
  for (int i = 0; i < 50; i++) b[i] = a[i];
  return 0;
}
void* right(void* arg) {
  for (int i = 50; i < 100; i++) b[i] = a[i];
  return 0;
}
int main() {
  for (int i = 0; i < 100; i++) a[i] = __VERIFIER_nondet_int();
  pthread_t t1, t2;
  pthread_create(&t1, 0, left, 0);
  pthread_create(&t2, 0, right, 0);
  pthread_join(t1, 0);
  pthread_join(t2, 0);
  for (int i = 0; i < 100; i++) return 0;
}
