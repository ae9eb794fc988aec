// SPDX-License-Identifier: Apache-2.0
// racy: a handler runs when main ends, and the thread may still run
#include <pthread.h>
#include <stdlib.h>
int x;
void at_end(void) { x = 2; }
void *work(void *unused) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  atexit(at_end);
  pthread_create(&t, 0, work, 0);
  return 0;
}
