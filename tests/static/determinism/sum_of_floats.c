// sum of floats
// nondeterministic: rounding depends on the order
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
float x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *one(void *p) {
  pthread_mutex_lock(&m);
  x += 0.1f;
  pthread_mutex_unlock(&m);
  return 0;
}
void *two(void *p) {
  pthread_mutex_lock(&m);
  x += 3e7f;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return x > 1;
}
