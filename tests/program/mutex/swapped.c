// Both threads lock, but one of them writes once more without the lock: for the two unlocked and
// locked writes to meet, the sections must change places.
// expect: race x @locked-@unlocked confirmed
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void* work(void* unused) {
  pthread_mutex_lock(&m);
  x = 2;
  pthread_mutex_unlock(&m);
  x = 3;  // @unlocked
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_mutex_lock(&m);
  x = 1;  // @locked
  pthread_mutex_unlock(&m);
  pthread_join(worker, NULL);
  return 0;
}
