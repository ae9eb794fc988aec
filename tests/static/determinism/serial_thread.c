// serial thread
// nondeterministic: the serial thread of a barrier may be either
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x, y;
pthread_barrier_t b;
void *one(void *p) {
  x = pthread_barrier_wait(&b) != 0;
  return 0;
}
void *two(void *p) {
  y = pthread_barrier_wait(&b) != 0;
  return 0;
}
int main(void) {
  pthread_barrier_init(&b, 0, 2);
  pthread_t a, c;
  pthread_create(&a, 0, one, 0);
  pthread_create(&c, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(c, 0);
  return x + y * 2;
}
