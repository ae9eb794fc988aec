// SPDX-License-Identifier: Apache-2.0
// racy: one of the functions takes no lock
#include <pthread.h>
pthread_mutex_t m;
int x;
void with(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
void without(void) { x++; }
void *work(void *p) {
  void (*f)(void) = p;
  f();
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, with);
  pthread_create(&b, 0, work, without);
  return 0;
}
