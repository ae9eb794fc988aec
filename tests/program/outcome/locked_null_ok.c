// The twin of locked_null.c: the consumer looks first.
// expect: none
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int value = 7;
int* shared;

void* produce(void* unused) {
  pthread_mutex_lock(&m);
  shared = &value;
  pthread_mutex_unlock(&m);
  return unused;
}

void* consume(void* unused) {
  pthread_mutex_lock(&m);
  int* taken = shared;
  pthread_mutex_unlock(&m);
  if (taken && *taken == 1000) return NULL;
  return unused;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s, NULL, produce, NULL);
  pthread_create(&t, NULL, consume, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
}
