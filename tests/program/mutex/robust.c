// The first thread dies with the lock; the second is told so and makes the mutex consistent.
// Two of the three live on, and write y unprotected.
// expect: race y @y-@y confirmed
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
  y = 1;  // @y
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&m, &attributes);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  puts("done");
}
