// main ends as a thread, the process goes on with the others.
// expect: none
// output: last
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, ended;

void* work(void* unused) {
  pthread_mutex_lock(&m);
  x++;
  if (++ended == 2) puts("last");
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_exit(NULL);
}
