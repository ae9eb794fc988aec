// The one that pthread_barrier_wait tells apart adds up for all;
// the other does not wait for it.
// expect: race sum @add-@read confirmed
// output: done
#include <pthread.h>
#include <stdio.h>

pthread_barrier_t barrier;
int part[2], sum;

void* work(void* number) {
  const long me = (long)number;
  part[me] = 1;
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
    sum = part[0] + part[1];  // @add
  }
  if (sum > 2) puts("never");  // @read
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&a, NULL, work, (void*)0);
  pthread_create(&b, NULL, work, (void*)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("done");
}
