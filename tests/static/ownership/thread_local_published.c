// SPDX-License-Identifier: Apache-2.0
// racy: the address of a thread-local variable is passed on
#include <pthread.h>
static _Thread_local int mine;
static int *address;
static void *worker(void *unused) {
  *address = 1;
  return unused;
}
int main(void) {
  pthread_t t;
  address = &mine;
  pthread_create(&t, 0, worker, 0);
  mine = 3;
  pthread_join(t, 0);
  return mine;
}
