// SPDX-License-Identifier: Apache-2.0
// race-free: the elements of a loop are taken one by one
#include <pthread.h>
#include <stdatomic.h>
static atomic_int next;
static int cells[1000];
static void *worker(void *unused) {
  (void)unused;
  for (;;) {
    int i = atomic_fetch_add(&next, 1);
    if (i >= 1000) return 0;
    cells[i] = i;
  }
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return cells[5];
}
