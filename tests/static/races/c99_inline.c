// SPDX-License-Identifier: Apache-2.0
// race-free: the body of an inline function counts
#include <pthread.h>
pthread_mutex_t m;
int x;
inline void take(void) { pthread_mutex_lock(&m); }
void *work(void *p) {
  take();
  x++;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  take();
  x = 1;
  pthread_mutex_unlock(&m);
  return 0;
}
