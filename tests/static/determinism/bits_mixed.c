// bits mixed
// nondeterministic: set and cleared
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
unsigned x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *one(void *p) {
  pthread_mutex_lock(&m);
  x |= 3;
  pthread_mutex_unlock(&m);
  return 0;
}
void *two(void *p) {
  pthread_mutex_lock(&m);
  x &= 12;
  pthread_mutex_unlock(&m);
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
