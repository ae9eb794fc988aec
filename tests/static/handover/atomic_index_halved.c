// SPDX-License-Identifier: Apache-2.0
// racy: two indices share a slot
#include <pthread.h>
#include <stdatomic.h>
static atomic_int next;
static int slots[8];
static void *worker(void *unused) {
  (void)unused;
  int mine = atomic_fetch_add(&next, 1) / 2;
  slots[mine] = mine;
  return 0;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  return slots[0];
}
