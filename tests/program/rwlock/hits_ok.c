// Readers read under the read lock, and count themselves under a lock of its own.
// expect: none
// output: 2
#include <pthread.h>
#include <stdio.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER;
int value = 1, hits;

void* look(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&lock);
  if (value > 1) puts("never");
  pthread_mutex_lock(&counter);
  hits++;  // @count
  pthread_mutex_unlock(&counter);
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, look, NULL);
  pthread_create(&b, NULL, look, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("%d\n", hits);
}
