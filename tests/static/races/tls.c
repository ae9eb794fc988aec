// SPDX-License-Identifier: Apache-2.0
// race-free: every thread has its own variable
#include <pthread.h>
__thread int x;
void *work(void *unused) {
  x++;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_create(&t, 0, work, 0);
  x++;
  return x;
}
