// SPDX-License-Identifier: Apache-2.0
// race-free: the option is settled before the threads start
#include <pthread.h>
static int mode, count;
static void *worker(void *unused) {
  if (mode == 2) count++;
  return unused;
}
int main(void) {
  pthread_t a, b;
  mode = 1;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  mode = 2;
  count++;
  return count;
}
