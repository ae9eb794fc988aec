// SPDX-License-Identifier: Apache-2.0
// racy: what an uninitialized variable holds is not known
#include <pthread.h>
int x;
void *work(void *p) {
  int c;
  if (c) x = 1;
  return 0;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  x = 1;
  return 0;
}
