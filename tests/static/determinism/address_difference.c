// address difference
// deterministic: a difference in one object is the same wherever it lies
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int v[8];
long x;
void *one(void *p) {
  int *q = v + 3;
  x = q - v;
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
