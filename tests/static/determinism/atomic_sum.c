// atomic sum
// any-order: atomic additions whose result nobody uses
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
_Atomic int x;
void *one(void *p) {
  __c11_atomic_fetch_add(&x, 1, 5);
  return 0;
}
void *two(void *p) {
  __c11_atomic_fetch_add(&x, 2, 5);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return x;
}
