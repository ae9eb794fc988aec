// Whoever is told to be the last destroys the barrier: all have arrived.
// expect: none
#include <pthread.h>

pthread_barrier_t b;

void* work(void* unused) {
  if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) pthread_barrier_destroy(&b);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_barrier_init(&b, NULL, 2);
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}
