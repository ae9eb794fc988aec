// The twin of two_mutexes.c: one after the other, with different mutexes, is fine.
// expect: none
#include <pthread.h>

pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready[2];

void* set(void* number) {
  long i = (long)number;
  pthread_mutex_lock(&m[i]);
  ready[i] = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m[i]);
  return NULL;
}

int main(void) {
  for (long i = 0; i < 2; i++) {
    pthread_t setter;
    pthread_create(&setter, NULL, set, (void*)i);
    pthread_mutex_lock(&m[i]);
    while (!ready[i]) pthread_cond_wait(&c, &m[i]);
    pthread_mutex_unlock(&m[i]);
    pthread_join(setter, NULL);
  }
}
