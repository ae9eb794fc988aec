// An index that is -1 as long as the queue is empty.
// twin: -DORDERED
// expect: nondeterminism n confirmed
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

int q[4], n, flag;
void* prod(void* p) {
  LOCK;
  q[n++] = 1;
  UNLOCK;
  LOCK;
  q[n++] = 2;
  UNLOCK;
  LOCK;
  flag = 1;
  UNLOCK;
  return p;
}
void* cons(void* p) {
  LOCK;
#ifndef ORDERED
  int k = n - 1;
  int v = q[k & 3];
  (void)v;
  UNLOCK;
  if (k < 0) abort();
#else
  if (n > 0) n--;
  UNLOCK;
#endif
  return p;
}
int main(void) {
  RUN2(prod, cons);
  return 0;
}
