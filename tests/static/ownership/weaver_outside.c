// SPDX-License-Identifier: Apache-2.0
// racy: the counter is read outside of the section
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
static int count, n = 10;
static void *worker(void *unused) {
  while (count < n) {
    __VERIFIER_atomic_begin();
    count++;
    __VERIFIER_atomic_end();
  }
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return count;
}
