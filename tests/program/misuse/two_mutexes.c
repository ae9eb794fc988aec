// Two threads wait on one condition, each with a mutex of its own.
// seeds: 20
// run: --strategy=random --quantum=3
// expect: misuse c @wait confirmed
#include <pthread.h>

pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready[2];

void* wait(void* number) {
  long i = (long)number;
  pthread_mutex_lock(&m[i]);
  while (!ready[i]) pthread_cond_wait(&c, &m[i]);  // @wait
  pthread_mutex_unlock(&m[i]);
  return NULL;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, wait, (void*)0);
  pthread_create(&two, NULL, wait, (void*)1);
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m[i]);
    ready[i] = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m[i]);
  }
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}
