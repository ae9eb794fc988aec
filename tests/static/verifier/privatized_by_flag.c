// SPDX-License-Identifier: Apache-2.0
// race-free: whoever sees the mark first owns the data, under a mutex
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int owned, data;
static void *worker(void *unused) {
  int mine = 0;
  pthread_mutex_lock(&m);
  if (!owned) {
    owned = 1;
    mine = 1;
  }
  pthread_mutex_unlock(&m);
  if (mine) {
    data++;
    pthread_mutex_lock(&m);
    owned = 0;
    pthread_mutex_unlock(&m);
  }
  return unused;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, worker, 0);
}
