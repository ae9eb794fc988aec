// The flag is set under the lock, the notify stands outside it.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

void* consume(void* unused) {
  (void)unused;
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&changed, &m);  // @test
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t consumer;
  pthread_create(&consumer, NULL, consume, NULL);
  pthread_mutex_lock(&m);
  ready = 1;  // @set
  pthread_mutex_unlock(&m);
  pthread_cond_signal(&changed);
  pthread_join(consumer, NULL);
  puts("done");
}
