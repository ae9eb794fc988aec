// A read-write lock is locked again by the thread that writes; libc answers with an error, and the
// program does not look.
// expect: misuse l @again confirmed
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

void* work(void* unused) {
  pthread_rwlock_wrlock(&l);
  pthread_rwlock_wrlock(&l);  // @again
  pthread_rwlock_unlock(&l);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
}
