// The twin of mutex.c: joined first. And a thread that was the last to use it may destroy it, if the
// lock itself says that it is the last.
// expect: none
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, counted = PTHREAD_MUTEX_INITIALIZER;
int users = 2;

void* work(void* unused) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return unused;
}

void* leave(void* unused) {
  pthread_mutex_lock(&counted);
  int last = --users == 0;
  pthread_mutex_unlock(&counted);
  if (last) pthread_mutex_destroy(&counted);
  return unused;
}

int main(void) {
  pthread_t worker, leaver;
  pthread_create(&worker, NULL, work, NULL);
  pthread_create(&leaver, NULL, leave, NULL);
  leave(NULL);
  pthread_join(worker, NULL);
  pthread_join(leaver, NULL);
  pthread_mutex_destroy(&m);
}
