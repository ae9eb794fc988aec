// One thread waits at the barrier with the lock in hand that the other needs to get there.
// native: may hang
// expect: deadlock barrier m @lock confirmed
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t barrier;
int x;

void* keeps(void* unused) {
  pthread_mutex_lock(&m);
  x = 1;
  pthread_barrier_wait(&barrier);
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t keeper;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&keeper, NULL, keeps, NULL);
  pthread_mutex_lock(&m);  // @lock
  x = 1;
  pthread_mutex_unlock(&m);
  pthread_barrier_wait(&barrier);
  pthread_join(keeper, NULL);
}
