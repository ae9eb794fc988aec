// A ring for one producer and one consumer, whose indices order nothing.
// twin: -DORDERED
// expect: race * unordered
#include <pthread.h>
#include <sched.h>
unsigned head, tail;
int ring[4], got;
#ifndef ORDERED
#define LD(x) __atomic_load_n(&x, __ATOMIC_RELAXED)
#define ST(x, v) __atomic_store_n(&x, v, __ATOMIC_RELAXED)
#else
#define LD(x) __atomic_load_n(&x, __ATOMIC_ACQUIRE)
#define ST(x, v) __atomic_store_n(&x, v, __ATOMIC_RELEASE)
#endif
void* p(void* q) {
  for (unsigned i = 0; i < 6; i++) {
    while (i - LD(head) == 4) sched_yield();
    ring[i % 4] = (int)i;
    ST(tail, i + 1);
  }
  return q;
}
void* c(void* q) {
  for (unsigned i = 0; i < 6; i++) {
    while (LD(tail) == i) sched_yield();
    got += ring[i % 4];
    ST(head, i + 1);
  }
  return q;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, p, 0);
  pthread_create(&b, 0, c, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return got != 15;
}
