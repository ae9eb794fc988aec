// SPDX-License-Identifier: Apache-2.0
// race-free: all accesses are atomic
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
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
