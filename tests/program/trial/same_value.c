// The second thread may lock first: it reads 0 from y either way and writes x.
// expect: race x @first-@second confirmed
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;

void* first(void* unused) {
  x = 1;  // @first
  pthread_mutex_lock(&m);
  y = 0;
  pthread_mutex_unlock(&m);
  return unused;
}

void* second(void* unused) {
  pthread_mutex_lock(&m);
  int seen = y;
  pthread_mutex_unlock(&m);
  if (seen == 0) x = 2;  // @second
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
