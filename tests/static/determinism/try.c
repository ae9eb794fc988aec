// try
// nondeterministic: whether the try succeeds depends on the schedule
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *one(void *p) {
  if (pthread_mutex_trylock(&m) == 0) {
    x = 1;
    pthread_mutex_unlock(&m);
  }
  return 0;
}
void *two(void *p) {
  pthread_mutex_lock(&m);
  y = 1;
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
