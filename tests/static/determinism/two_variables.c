// two variables
// deterministic: each thread writes a variable of its own
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x, y;
void *one(void *p) {
  x = 1;
  return 0;
}
void *two(void *p) {
  y = 2;
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
