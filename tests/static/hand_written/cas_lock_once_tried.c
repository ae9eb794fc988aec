// SPDX-License-Identifier: Apache-2.0
// racy: who does not get the lock goes on all the same
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock;
static int shared;
static void *worker(void *unused) {
  (void)unused;
  int expected = 0;
  atomic_compare_exchange_strong(&lock, &expected, 1);
  shared++;
  atomic_store(&lock, 0);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return shared;
}
