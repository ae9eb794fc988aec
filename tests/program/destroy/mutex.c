// A mutex is destroyed before the thread that uses it has ended.
// expect: memory m @destroy-@lock confirmed
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void* work(void* unused) {
  pthread_mutex_lock(&m);  // @lock
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_mutex_destroy(&m);  // @destroy
  pthread_join(worker, NULL);
}
