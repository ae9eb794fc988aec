// SPDX-License-Identifier: Apache-2.0
// race-free: the index is drawn in an atomic section
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
static int next, cells[100];
static void *worker(void *unused) {
  (void)unused;
  int mine;
  __VERIFIER_atomic_begin();
  mine = next;
  next = next + 1;
  __VERIFIER_atomic_end();
  if (mine < 100) cells[mine] = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, worker, 0);
}
