// The second thread writes x only if it has seen what the first one published: the program does
// not do what a schedule without that value asks of it.
// expect: none
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, ready;

void* first(void* unused) {
  x = 1;
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_mutex_unlock(&m);
  return unused;
}

void* second(void* unused) {
  pthread_mutex_lock(&m);
  int seen = ready;
  pthread_mutex_unlock(&m);
  if (seen) x = 2;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return x > 5;
}
