// A mutex is destroyed while it is locked.
// expect: misuse m @destroy confirmed
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void* work(void* unused) {
  pthread_mutex_lock(&m);
  pthread_mutex_destroy(&m);  // @destroy
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
}
