// The barrier is destroyed while other threads may still come to it, for the first round or the next.
// expect: memory b @first-@destroy confirmed
// expect: memory b @again-@destroy confirmed
#include <pthread.h>

pthread_barrier_t b;

void* work(void* unused) {
  pthread_barrier_wait(&b);  // @first
  pthread_barrier_wait(&b);  // @again
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_barrier_init(&b, NULL, 2);
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  pthread_barrier_destroy(&b);  // @destroy
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}
