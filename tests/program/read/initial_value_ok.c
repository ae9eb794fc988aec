// The reader may come before the writer, but what it then reads is the same value: 0.
// run: --analysis=nondeterminism
// expect: none
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int level;

void* clear(void* unused) {
  pthread_mutex_lock(&m);
  level = 0;
  pthread_mutex_unlock(&m);
  return unused;
}

void* look(void* unused) {
  pthread_mutex_lock(&m);
  int seen = level;
  pthread_mutex_unlock(&m);
  return seen ? unused : NULL;
}

int main(void) {
  pthread_t writer, reader;
  pthread_create(&writer, NULL, clear, NULL);
  pthread_create(&reader, NULL, look, NULL);
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
}
