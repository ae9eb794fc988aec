// SPDX-License-Identifier: Apache-2.0
// race-free: a thread-local variable
#include <pthread.h>
static _Thread_local int mine;
static int *address(void) { return &mine; }
static void *worker(void *unused) {
  *address() = 1;
  (*address())++;
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  mine = 3;
  pthread_join(t, 0);
  return mine;
}
