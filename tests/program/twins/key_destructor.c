// The destructor of a thread's value runs after the thread's function.
// twin: -DORDERED
// expect: race freed confirmed
#include <pthread.h>
pthread_key_t k;
int freed;
void d(void* p) {
  freed = 1;
}
void* f(void* p) {
  pthread_setspecific(k, &k);
  return p;
}
int main(void) {
  pthread_t a;
  pthread_key_create(&k, d);
  pthread_create(&a, 0, f, 0);
#ifndef ORDERED
  int v = freed;
  pthread_join(a, 0);
#else
  pthread_join(a, 0);
  int v = freed;
#endif
  return v > 3;
}
