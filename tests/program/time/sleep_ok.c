// A join is; the sleep beside it does no harm.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int data;

void* produce(void* unused) {
  data = 1;  // @write
  return unused;
}

int main(void) {
  pthread_t producer;
  pthread_create(&producer, NULL, produce, NULL);
  usleep(10000);
  pthread_join(producer, NULL);
  if (data > 1) puts("never");  // @read
  puts("done");
}
