// SPDX-License-Identifier: Apache-2.0
// race-free: pthread_once initializes, everybody reads
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int data;
static void initialize(void) { data = 1; }
static void *worker(void *unused) {
  pthread_once(&once, initialize);
  return data ? unused : 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return data;
}
