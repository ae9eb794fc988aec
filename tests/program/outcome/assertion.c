// All accesses are locked and there is no race. Between the two sections of the writer the assertion
// fails: the reader sees the one value and not yet the other.
// expect: nondeterminism b @b confirmed
// consequence: is killed by SIGABRT (Aborted), saying "
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int a, b;

void* writer(void* unused) {
  pthread_mutex_lock(&m);
  a = 1;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  b = 2;
  pthread_mutex_unlock(&m);
  return unused;
}

void* reader(void* unused) {
  pthread_mutex_lock(&m);
  int x = a;
  int y = b;  // @b
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
