// A barrier for three at which two arrive.
// native: hangs
// expect: deadlock barrier @wait confirmed
// output: start
#include <pthread.h>
#include <stdio.h>

pthread_barrier_t barrier;

void* work(void* unused) {
  (void)unused;
  pthread_barrier_wait(&barrier);  // @wait
  return NULL;
}

int main(void) {
  pthread_t a, b;
  puts("start");
  fflush(stdout);
  pthread_barrier_init(&barrier, NULL, 3);
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
