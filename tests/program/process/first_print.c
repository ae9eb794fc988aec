// Whoever prints first has stdout's buffer allocated, which is no step of its own.
// expect: race x @first-@second confirmed
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void* first(void* unused) {
  x = 1;  // @first
  pthread_mutex_lock(&m);
  printf("a\n");
  pthread_mutex_unlock(&m);
  return unused;
}

void* second(void* unused) {
  pthread_mutex_lock(&m);
  printf("b\n");
  pthread_mutex_unlock(&m);
  x = 2;  // @second
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
