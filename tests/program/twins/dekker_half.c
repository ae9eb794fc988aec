// Each thread looks at the flag of the other before it raises its own.
// twin: -DORDERED
// expect: race n confirmed
#include <pthread.h>
int fl[2], n;
#define L(x) __atomic_load_n(&x, __ATOMIC_SEQ_CST)
#define S(x, v) __atomic_store_n(&x, v, __ATOMIC_SEQ_CST)
void* f(void* p) {
  int i = (int)(long)p;
#ifndef ORDERED
  int busy = L(fl[1 - i]);
  S(fl[i], 1);
#else
  S(fl[i], 1);
  int busy = L(fl[1 - i]);
#endif
  if (!busy) n++;
  S(fl[i], 0);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, (void*)0);
  pthread_create(&b, 0, f, (void*)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
