// The twin of check_then_use.c: one lock around both.
// flags: -O0
// expect: none
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int v, *p = &v;

void* use(void* unused) {
  pthread_mutex_lock(&m);
  long seen = p ? *p : 0;
  pthread_mutex_unlock(&m);
  return seen ? unused : NULL;
}

void* take(void* unused) {
  pthread_mutex_lock(&m);
  p = 0;
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s, NULL, use, NULL);
  pthread_create(&t, NULL, take, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
}
