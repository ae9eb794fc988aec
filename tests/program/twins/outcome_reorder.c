// Two atomic writes that are read together.
// twin: -DORDERED
// expect: nondeterminism a confirmed
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

atomic_int a, b;
void* set(void* p) {
#ifndef ORDERED
  a = 1;
  b = -1;
#else
  LOCK;
  a = 1;
  b = -1;
  UNLOCK;
#endif
  return p;
}
void* check(void* p) {
#ifdef ORDERED
  LOCK;
#endif
  int x = a, y = b;
#ifdef ORDERED
  UNLOCK;
#endif
  if (!((x == 0 && y == 0) || (x == 1 && y == -1))) abort();
  return p;
}
int main(void) {
  RUN2(set, check);
  return 0;
}
