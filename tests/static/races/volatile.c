// SPDX-License-Identifier: Apache-2.0
// racy: volatile is not atomic
#include <pthread.h>
volatile int x;
void *work(void *p) {
  x++;
  return 0;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  x = 1;
  return x;
}
