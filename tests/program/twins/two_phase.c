// The same data under one lock and under another.
// twin: -DORDERED
// expect: race d1 confirmed
#include <pthread.h>
pthread_mutex_t ma = PTHREAD_MUTEX_INITIALIZER, mb = PTHREAD_MUTEX_INITIALIZER;
int d1, d2, sum;
void* f(void* p) {
  pthread_mutex_lock(&ma);
  d1 = 1;
  pthread_mutex_unlock(&ma);
  pthread_mutex_lock(&mb);
  d2 = d1 + 1;
  pthread_mutex_unlock(&mb);
  return p;
}
void* g(void* p) {
#ifndef ORDERED
  pthread_mutex_lock(&mb);
  d1 = d2;
  pthread_mutex_unlock(&mb);
#else
  pthread_mutex_lock(&mb);
  sum = d2;
  pthread_mutex_unlock(&mb);
#endif
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0);
  pthread_create(&b, 0, g, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
