// Readers of a read-write lock unlock it in any order, and writers after them.
// expect: none
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

void* work(void* unused) {
  pthread_rwlock_rdlock(&l);
  int seen = x;
  pthread_rwlock_unlock(&l);
  pthread_rwlock_wrlock(&l);
  x = seen + 1;
  pthread_rwlock_unlock(&l);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  pthread_rwlock_destroy(&l);
}
