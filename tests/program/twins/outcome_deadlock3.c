// Three locks in a circle.
// twin: -DORDERED
// expect: deadlock * confirmed
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

pthread_mutex_t l[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                        PTHREAD_MUTEX_INITIALIZER};
void both(int x, int y) {
  pthread_mutex_lock(&l[x]);
  pthread_mutex_lock(&l[y]);
  pthread_mutex_unlock(&l[y]);
  pthread_mutex_unlock(&l[x]);
}
void* t1(void* p) {
  both(0, 1);
  return p;
}
void* t2(void* p) {
  both(1, 2);
  return p;
}
#ifndef ORDERED
void* t3(void* p) {
  both(2, 0);
  return p;
}
#else
void* t3(void* p) {
  both(0, 2);
  return p;
}
#endif
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, t1, 0);
  pthread_create(&b, 0, t2, 0);
  pthread_create(&c, 0, t3, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
