// SPDX-License-Identifier: Apache-2.0
// race-free: the function called is the one with the lock
#include <pthread.h>
pthread_mutex_t m;
int x;
void with(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
void without(void) { x++; }
void (*table[2])(void) = {with, with};
void *work(void *p) {
  void (*f)(void) = p;
  f();
  table[1]();
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, with);
  pthread_create(&b, 0, work, with);
  pthread_join(a, 0);
  pthread_join(b, 0);
  without();
  return 0;
}
