// The wait times out, and the consumer sees it; main writes only for itself.
// expect: none
// output: timed out
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int data;

void* consume(void* unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  pthread_mutex_lock(&m);
  int status = 0;
  while (status != ETIMEDOUT) status = pthread_cond_timedwait(&changed, &m, &until);
  puts("timed out");
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t consumer;
  pthread_create(&consumer, NULL, consume, NULL);
  data = 1;  // @write
  pthread_join(consumer, NULL);
}
