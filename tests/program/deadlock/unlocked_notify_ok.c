// The wait has a time limit: a lost notify costs a second, no more.
// expect: none
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
atomic_int ready;

void* consume(void* unused) {
  pthread_mutex_lock(&m);
  while (!ready) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_cond_timedwait(&changed, &m, &until);
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
