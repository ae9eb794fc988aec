// SPDX-License-Identifier: Apache-2.0
// race-free: the outer thread joins the inner one, main the outer one
#include <pthread.h>
int x;
void *inner(void *p) { x++; return 0; }
void *outer(void *p) {
  pthread_t t;
  pthread_create(&t, 0, inner, 0);
  pthread_join(t, 0);
  x++;
  return 0;
}
int main(void) {
  pthread_t a;
  x = 1;
  pthread_create(&a, 0, outer, 0);
  pthread_join(a, 0);
  return x;
}
