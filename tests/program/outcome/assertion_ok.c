// The twin of assertion.c: both values are written in one section.
// expect: none
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int a, b;

void* writer(void* unused) {
  pthread_mutex_lock(&m);
  a = 1;
  b = 2;
  pthread_mutex_unlock(&m);
  return unused;
}

void* reader(void* unused) {
  pthread_mutex_lock(&m);
  int x = a;
  int y = b;
  pthread_mutex_unlock(&m);
  assert(!x || y);
  return unused;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s, NULL, writer, NULL);
  pthread_create(&t, NULL, reader, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
}
