// The writer takes the lock for reading only.
// expect: race value @write-@read confirmed
// output: done
#include <pthread.h>
#include <stdio.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value;

void* look(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&lock);
  if (value > 1) puts("never");  // @read
  pthread_rwlock_unlock(&lock);
  return NULL;
}

void* change(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&lock);
  value = 1;  // @write
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, look, NULL);
  pthread_create(&threads[1], NULL, change, NULL);
  pthread_create(&threads[2], NULL, look, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  puts("done");
}
