// SPDX-License-Identifier: Apache-2.0
// racy: both wait for one turn
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static int shared;
static void *worker(void *unused) {
  (void)unused;
  for (int i = 0; i < 10; i++) {
    while (turn != 0) {
    }
    shared++;
    turn = 0;
  }
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
