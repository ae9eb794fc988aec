// The flag is atomic, so nothing races, but it is set without the lock: the notify may come between
// the look at it and the wait.
// native: may hang
// run: --strategy=random --quantum=3
// seeds: 40
// expect: deadlock changed @wait confirmed
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
atomic_int ready;

void* consume(void* unused) {
  pthread_mutex_lock(&m);
  while (!ready) {
    pthread_cond_wait(&changed, &m);  // @wait
  }
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t consumer;
  pthread_create(&consumer, NULL, consume, NULL);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_join(consumer, NULL);
}
