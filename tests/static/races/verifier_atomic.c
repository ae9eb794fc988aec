// SPDX-License-Identifier: Apache-2.0
// race-free: functions named so are atomic sections
#include <pthread.h>
extern void abort(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void assume_abort_if_not(int c) { if (!c) abort(); }
int x, y;
void __VERIFIER_atomic_add(int n) { assume_abort_if_not(x < 100); x += n; }
void *work(void *unused) {
  __VERIFIER_atomic_add(2);
  __VERIFIER_atomic_begin();
  y = x;
  __VERIFIER_atomic_end();
  return 0;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, work, 0);
}
