// SPDX-License-Identifier: Apache-2.0
// race-free: a ticket lock
#include <pthread.h>
#include <stdatomic.h>
static atomic_uint next, serving;
static int shared;
static void *worker(void *unused) {
  (void)unused;
  const unsigned mine = atomic_fetch_add(&next, 1);
  while (serving != mine) {
  }
  shared++;
  serving = serving + 1;
  return 0;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return shared;
}
