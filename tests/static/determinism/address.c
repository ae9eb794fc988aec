// address
// nondeterministic: which memory a thread gets may depend on who asks first
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
long x;
void *one(void *p) {
  x = (long)malloc(8) & 64;
  return 0;
}
void *two(void *p) {
  free(malloc(8));
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return (int)x;
}
