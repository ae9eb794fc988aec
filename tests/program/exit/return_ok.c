// main returns before the threads it made have taken a step, and all of them lock.
// expect: none
// output: last
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int ended;

void* work(void* unused) {
  pthread_mutex_lock(&m);
  if (++ended == 3) puts("last");
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  work(NULL);
  return 0;
}
