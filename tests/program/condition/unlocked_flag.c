// The flag is set without the lock its reader holds.
// run: --strategy=random --quantum=2
// seeds: 40
// expect: race ready @set-@test confirmed
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
  ready = 1;  // @set
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_cond_signal(&changed);
  pthread_join(consumer, NULL);
  puts("done");
}
