// A pointer is checked, and read again.
// twin: -DORDERED
// expect: nondeterminism g confirmed
// consequence: the program is killed by SIG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#define RUN2(f, g)                \
  do {                            \
    pthread_t a_, b_;             \
    pthread_create(&a_, 0, f, 0); \
    pthread_create(&b_, 0, g, 0); \
    pthread_join(a_, 0);          \
    pthread_join(b_, 0);          \
  } while (0)
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)

int* _Atomic g;
int cell;
void* t1(void* p) {
  int* q = g;
  if (q) {
#ifndef ORDERED
    *g = 3;
#else
    *q = 3;
#endif
  }
  return p;
}
void* t2(void* p) {
  g = 0;
  return p;
}
int main(void) {
  g = &cell;
  RUN2(t1, t2);
  return 0;
}
