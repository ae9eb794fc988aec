// A divisor is 0 for a moment.
// twin: -DORDERED
// expect: nondeterminism d confirmed
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

int d = 2;
void* t1(void* p) {
  LOCK;
  d = 0;
  UNLOCK;
  LOCK;
  d = 2;
  UNLOCK;
  return p;
}
void* t2(void* p) {
  LOCK;
#ifndef ORDERED
  int r = 10 / d;
#else
  int r = d ? 10 / d : 0;
#endif
  UNLOCK;
  return (void*)(long)r;
}
int main(void) {
  RUN2(t2, t1);
  return 0;
}
