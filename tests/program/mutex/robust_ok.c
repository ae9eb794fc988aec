// The first thread dies with the lock; the second is told so and makes the mutex consistent.
// What the dead thread wrote happens before what its heir reads.
// expect: none
// output: done
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t m;
int x, y;

void* work(void* unused) {
  (void)unused;
  if (pthread_mutex_lock(&m) == EOWNERDEAD) pthread_mutex_consistent(&m);
  if (++x == 1) {
    return NULL;
  }
  pthread_mutex_unlock(&m);
  y = 1;
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&m, &attributes);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  puts("done");
}
