// An error-checking mutex refuses the second lock,
// and the program, told so, unlocks only once, at the end.
// expect: none
// output: done
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int x;

void* work(void* unused) {
  (void)unused;
  pthread_mutex_lock(&m);
  if (pthread_mutex_lock(&m) != EDEADLK) puts("not refused");
  x = 1;  // @write
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("done");
}
