// Threads that wait for good when main returns are no deadlock: for a lock main holds, for a
// condition, and for each other's end.
// expect: none
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;

void* lock(void* unused) {
  pthread_mutex_lock(&m);
  return unused;
}

void* wait_for(void* unused) {
  pthread_mutex_lock(&own);
  for (;;) pthread_cond_wait(&never, &own);
  return unused;
}

void* join(void* other) {
  pthread_join(*(pthread_t*)other, NULL);
  return NULL;
}

int main(void) {
  static pthread_t a, b, c;
  pthread_mutex_lock(&m);
  pthread_create(&a, NULL, lock, NULL);
  pthread_create(&b, NULL, wait_for, NULL);
  pthread_create(&c, NULL, join, &b);
  return 0;
}
