// Both hold the lock for reading and want it for writing.
// native: hangs
// expect: deadlock lock @upgrade confirmed
// output: start
#include <pthread.h>
#include <stdio.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;

void* work(void* unused) {
  pthread_rwlock_rdlock(&lock);
  const int seen = x;
  pthread_rwlock_wrlock(&lock);  // @upgrade
  x = seen + 1;
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a, b;
  puts("start");
  fflush(stdout);
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
