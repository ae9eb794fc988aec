// Two locks, one after the other; a reader that sees the first stage only.
// twin: -DORDERED
// expect: nondeterminism d2 confirmed
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

int d1, d2;
pthread_mutex_t mb = PTHREAD_MUTEX_INITIALIZER;
void* t1(void* p) {
#ifndef ORDERED
  LOCK;
  d1 = 1;
  UNLOCK;
  pthread_mutex_lock(&mb);
  d2 = d1 + 1;
  pthread_mutex_unlock(&mb);
#else
  LOCK;
  d1 = 1;
  pthread_mutex_lock(&mb);
  d2 = d1 + 1;
  pthread_mutex_unlock(&mb);
  UNLOCK;
#endif
  return p;
}
void* t2(void* p) {
  LOCK;
  int v = d1;
#ifndef ORDERED
  UNLOCK;
#endif
  if (v == 1) {
    pthread_mutex_lock(&mb);
    int w = d2;
    pthread_mutex_unlock(&mb);
    if (w != 2) abort();
  }
#ifdef ORDERED
  UNLOCK;
#endif
  return p;
}
int main(void) {
  RUN2(t1, t2);
  return 0;
}
