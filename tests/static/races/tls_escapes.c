// SPDX-License-Identifier: Apache-2.0
// racy: main hands the address of its own variable to a thread
#include <pthread.h>
__thread int x;
void *work(void *p) {
  *(int *)p = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, &x);
  x++;
  return x;
}
