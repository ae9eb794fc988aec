// The line goes through the pipe before the data is written.
// expect: race data @write-@read confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int ends[2], data;

void* produce(void* unused) {
  FILE* out = fdopen(ends[1], "w");
  fprintf(out, "ready %d\n", 1);
  fflush(out);
  data = 1;  // @write
  return unused;
}

int main(void) {
  int number;
  pthread_t producer;
  if (pipe(ends) != 0) return 1;
  FILE* in = fdopen(ends[0], "r");
  pthread_create(&producer, NULL, produce, NULL);
  if (fscanf(in, "ready %d", &number) != 1) puts("never");
  if (data > 1) puts("never");  // @read
  pthread_join(producer, NULL);
  puts("done");
}
