// The notify comes before the wait; the flag remembers it.
// expect: none
// output: notified
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

void* consume(void* unused) {
  (void)unused;
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&changed, &m);
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t consumer;
  pthread_create(&consumer, NULL, consume, NULL);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&m);
  puts("notified");
  fflush(stdout);
  pthread_join(consumer, NULL);
}
