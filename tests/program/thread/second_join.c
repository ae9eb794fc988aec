// Two threads join a third one. Whoever comes second fails, and both have waited for its end.
// expect: race x @write-@read confirmed
#include <pthread.h>

pthread_t a, b;
volatile int x;

void* nothing(void* unused) {
  return unused;
}

void* join(void* unused) {
  x = 1;  // @write
  pthread_join(a, NULL);
  return unused;
}

int main(void) {
  pthread_create(&a, NULL, nothing, NULL);
  pthread_create(&b, NULL, join, NULL);
  pthread_join(a, NULL);
  int y = x;  // @read
  pthread_join(b, NULL);
  return y > 1;
}
