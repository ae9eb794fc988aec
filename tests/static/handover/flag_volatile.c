// SPDX-License-Identifier: Apache-2.0
// racy: a volatile flag is no atomic one
#include <pthread.h>
static int data;
static volatile int ready;
static void *producer(void *unused) {
  (void)unused;
  data = 42;
  ready = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  while (!ready) {
  }
  return data;
}
