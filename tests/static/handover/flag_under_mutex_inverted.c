// SPDX-License-Identifier: Apache-2.0
// racy: the data is touched while the flag is not set
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int data, ready;
static void *producer(void *unused) {
  (void)unused;
  data = 42;
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  pthread_mutex_lock(&m);
  int is_ready = ready;
  pthread_mutex_unlock(&m);
  if (!is_ready) data = 43;
  return 0;
}
