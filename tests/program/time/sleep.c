// A sleep is no synchronization.
// expect: race data @write-@read confirmed
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
  if (data > 1) puts("never");  // @read
  pthread_join(producer, NULL);
  puts("done");
}
