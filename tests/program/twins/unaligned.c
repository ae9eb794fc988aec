// Fields of a packed structure, and a copy that begins in one of them.
// twin: -DORDERED
// expect: race p confirmed
#include <pthread.h>
#include <string.h>
#pragma pack(1)
struct P {
  char c;
  int i;
  short t;
} p;
#pragma pack()
void* f(void* q) {
  p.i = 5;
  return q;
}
void* g(void* q) {
#ifndef ORDERED
  memcpy((char*)&p + 4, "abc", 3);
#else
  memcpy((char*)&p + 5, "ab", 2);
#endif
  return q;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0);
  pthread_create(&b, 0, g, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
