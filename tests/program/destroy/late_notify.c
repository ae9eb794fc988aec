// The waiter destroys the condition when it sees the flag, and the notify that comes after the unlock
// finds nothing.
// seeds: 20
// run: --strategy=random --quantum=3
// expect: memory c @notify-@destroy confirmed
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;

void* set(void* unused) {
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_mutex_unlock(&m);
  pthread_cond_signal(&c);  // @notify
  return unused;
}

int main(void) {
  pthread_t setter;
  pthread_create(&setter, NULL, set, NULL);
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  pthread_cond_destroy(&c);  // @destroy
  pthread_join(setter, NULL);
}
