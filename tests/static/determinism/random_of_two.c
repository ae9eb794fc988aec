// random of two
// nondeterministic: the numbers go to whoever asks first
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x, y;
void *one(void *p) {
  x = rand();
  return 0;
}
void *two(void *p) {
  y = rand();
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
