// SPDX-License-Identifier: Apache-2.0
// racy: the flag is set before the data
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int ready;
static void *producer(void *unused) {
  (void)unused;
  ready = 1;
  data = 42;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  while (!ready) {
  }
  return data;
}
