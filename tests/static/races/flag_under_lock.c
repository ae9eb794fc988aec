// SPDX-License-Identifier: Apache-2.0
// race-free: the flag, read and set under the lock, orders the data
#include <pthread.h>
pthread_mutex_t m;
int ready, data;
void *producer(void *unused) {
  data = 1;
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  pthread_mutex_lock(&m);
  int seen = ready;
  pthread_mutex_unlock(&m);
  return seen ? data : 0;
}
