// SPDX-License-Identifier: Apache-2.0
// race-free: the index is drawn under a mutex
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int next, cells[100];
static void *worker(void *unused) {
  (void)unused;
  pthread_mutex_lock(&m);
  int mine = next++;
  pthread_mutex_unlock(&m);
  if (mine < 100) cells[mine] = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, worker, 0);
}
