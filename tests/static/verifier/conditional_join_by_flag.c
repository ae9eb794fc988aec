// SPDX-License-Identifier: Apache-2.0
// race-free: main touches the data only after the counter shows that nobody is left
#include <pthread.h>
#include <stdatomic.h>
static atomic_int running;
static int data;
static void *worker(void *unused) {
  data = 1;
  running--;
  return unused;
}
int main(void) {
  pthread_t t;
  running = 1;
  pthread_create(&t, 0, worker, 0);
  while (running > 0) {
  }
  data = 2;
  return data;
}
