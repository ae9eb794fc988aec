// SPDX-License-Identifier: Apache-2.0
// racy: the data is touched after it was given away
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
    pthread_mutex_lock(&m);
    owned = 0;
    pthread_mutex_unlock(&m);
    data++;
  }
  return unused;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, worker, 0);
}
