// two variables read
// nondeterministic: one thread reads what the other writes
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x, y;
void *one(void *p) {
  x = 1;
  return 0;
}
void *two(void *p) {
  y = x;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return x + y;
}
