// The end of the pipe says that the data is there: the reader cannot see it before the writer closes.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int ends[2], data;

void* produce(void* unused) {
  data = 1;
  close(ends[1]);
  return unused;
}

int main(void) {
  char byte;
  pthread_t producer;
  if (pipe(ends) != 0) return 1;
  pthread_create(&producer, NULL, produce, NULL);
  if (read(ends[0], &byte, 1) != 0) puts("never");
  if (data > 1) puts("never");
  pthread_join(producer, NULL);
  puts("done");
}
