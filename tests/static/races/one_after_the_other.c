// SPDX-License-Identifier: Apache-2.0
// race-free: in every round the thread ends before the next begins
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int x;
void *work(void *p) { x++; return 0; }
int main(void) {
  pthread_t t;
  while (__VERIFIER_nondet_int()) {
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    x++;
  }
  return x;
}
