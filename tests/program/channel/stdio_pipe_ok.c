// A line through a pipe, by stdio on both ends, says that the data is there.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int ends[2], data;

void* produce(void* unused) {
  FILE* out = fdopen(ends[1], "w");
  data = 1;
  fputs("ready\n", out);
  fflush(out);
  return unused;
}

int main(void) {
  char line[20];
  pthread_t producer;
  if (pipe(ends) != 0) return 1;
  FILE* in = fdopen(ends[0], "r");
  pthread_create(&producer, NULL, produce, NULL);
  if (!fgets(line, sizeof line, in)) puts("never");
  if (data != 1) puts("never");
  pthread_join(producer, NULL);
  puts("done");
}
