// SPDX-License-Identifier: Apache-2.0
// racy: not all draw under one mutex
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int next, cells[100];
static void *worker(void *argument) {
  pthread_mutex_t *lock = argument ? &m : &n;
  pthread_mutex_lock(lock);
  int mine = next++;
  pthread_mutex_unlock(lock);
  if (mine < 100) cells[mine] = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  while (1) {
    pthread_create(&t, 0, worker, 0);
    pthread_create(&t, 0, worker, &t);
  }
}
