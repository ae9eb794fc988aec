// SPDX-License-Identifier: Apache-2.0
// racy: the flag is lowered before the access
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int busy, x;
void leave(void) {
  pthread_mutex_lock(&m);
  busy = 0;
  pthread_mutex_unlock(&m);
}
int try_enter(void) {
  int r;
  pthread_mutex_lock(&m);
  r = !busy;
  if (r) busy = 1;
  pthread_mutex_unlock(&m);
  return r;
}
void* t1(void* p) {
  int got = try_enter();
  if (got) leave();
  if (got) {
    x++;
  }
  return 0;
}
int main() {
  pthread_t t;
  while (1) pthread_create(&t, 0, t1, 0);
}
