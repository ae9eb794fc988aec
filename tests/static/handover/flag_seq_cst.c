// SPDX-License-Identifier: Apache-2.0
// race-free: data is handed over by a flag that is waited for
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int ready;
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
