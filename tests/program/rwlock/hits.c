// Readers count themselves under the read lock, which two of them hold at once.
// expect: race hits @count-@count confirmed
// output: 2
#include <pthread.h>
#include <stdio.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value = 1, hits;

void* look(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&lock);
  if (value > 1) puts("never");
  hits++;  // @count
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
