// The pipe is closed before the data is written.
// expect: race data @write-@read confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int ends[2], data;

void* produce(void* unused) {
  close(ends[1]);
  data = 1;  // @write
  return unused;
}

int main(void) {
  char byte;
  pthread_t producer;
  if (pipe(ends) != 0) return 1;
  pthread_create(&producer, NULL, produce, NULL);
  if (read(ends[0], &byte, 1) != 0) puts("never");
  if (data > 1) puts("never");  // @read
  pthread_join(producer, NULL);
  puts("done");
}
