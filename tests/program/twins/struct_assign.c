// A structure is copied while one of its last fields is written.
// twin: -DORDERED
// expect: race src confirmed
#include <pthread.h>
struct big {
  long v[12];
} src, dst;
void* f(void* p) {
  dst = src;
  return p;
}
void* g(void* p) {
#ifndef ORDERED
  src.v[11] = 4;
#else
  return (void*)src.v[11];
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
