// SPDX-License-Identifier: Apache-2.0
// race-free: what was not started is not joined
#include <pthread.h>
static int shared;
static void *worker(void *unused) {
  shared = 1;
  return unused;
}
int main(void) {
  pthread_t t;
  if (pthread_create(&t, 0, worker, 0) != 0) return 1;
  if (pthread_join(t, 0) != 0) return 2;
  return shared;
}
