// A mutex is handed over to another thread, which unlocks it. In the recording a location stands for
// the mutex and keeps its order; it is no variable whose value could be another one.
// run: --analysis=all
// expect: misuse m @unlock confirmed
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void* give(void* unused) {
  x = 1;
  pthread_mutex_unlock(&m);  // @unlock
  return unused;
}

void* take(void* unused) {
  pthread_mutex_lock(&m);
  x = x + 1;
  return unused;
}

int main(void) {
  pthread_t giver, taker;
  pthread_mutex_lock(&m);
  pthread_create(&giver, NULL, give, NULL);
  pthread_create(&taker, NULL, take, NULL);
  pthread_join(giver, NULL);
  pthread_join(taker, NULL);
}
