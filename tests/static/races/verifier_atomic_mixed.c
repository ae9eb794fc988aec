// SPDX-License-Identifier: Apache-2.0
// racy: one access is outside of the section
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;
void *work(void *unused) {
  __VERIFIER_atomic_begin();
  x++;
  __VERIFIER_atomic_end();
  return (void *)(long)x;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, work, 0);
}
