// SPDX-License-Identifier: Apache-2.0
// racy: two may see the old value
#include <pthread.h>
#include <stdatomic.h>
static atomic_int started;
static int data;
static void *worker(void *unused) {
  (void)unused;
  if (started == 0) {
    started = 1;
    data = 1;
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return data;
}
