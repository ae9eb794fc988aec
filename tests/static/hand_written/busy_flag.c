// SPDX-License-Identifier: Apache-2.0
// race-free: whoever finds the flag down under the mutex raises it
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int busy, x, a[20];
int try_enter(void) {
  pthread_mutex_lock(&m);
  if (busy) {
    pthread_mutex_unlock(&m);
    return 0;
  }
  busy = 1;
  pthread_mutex_unlock(&m);
  return 1;
}
void leave(void) {
  pthread_mutex_lock(&m);
  busy = 0;
  pthread_mutex_unlock(&m);
}
void* t1(void* p) {
  if (try_enter()) {
    for (int i = 0; i < 20; i++) {
      x++;
      a[i] += x;
    }
    leave();
  }
  return 0;
}
int main() {
  pthread_t t;
  while (1) pthread_create(&t, 0, t1, 0);
}
