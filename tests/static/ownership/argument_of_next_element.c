// SPDX-License-Identifier: Apache-2.0
// racy: a thread gets the number of the element that the next round writes
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
int* a;
void* thread(void* arg) {
  int p = (int)(long)arg;
  a[p]++;
  return 0;
}
int main() {
  int n = __VERIFIER_nondet_int();
  assume_abort_if_not(n > 0 && n < 1000);
  a = malloc((n + 2) * sizeof(int));
  for (long i = 0; i < n; i++) {
    pthread_t t;
    a[i] = 0;
    pthread_create(&t, 0, thread, (void*)(i + 1));
  }
  return 0;
}
