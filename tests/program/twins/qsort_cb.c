// The comparison that a sort of libc calls counts in a global variable.
// twin: -DORDERED
// expect: race compares confirmed
#include <pthread.h>
#include <stdlib.h>
#ifndef ORDERED
int compares;
#else
_Thread_local int compares;
#endif
int cmp(const void* a, const void* b) {
  compares++;
  return *(int*)a - *(int*)b;
}
void* f(void* p) {
  int v[4] = {3, 1, 2, 0};
  qsort(v, 4, sizeof *v, cmp);
  return (void*)(long)v[0];
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0);
  pthread_create(&b, 0, f, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
