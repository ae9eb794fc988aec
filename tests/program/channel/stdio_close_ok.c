// fclose ends the stream, and writes what is still in its buffer.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int ends[2], data;

void* produce(void* unused) {
  FILE* out = fdopen(ends[1], "w");
  putc('x', out);
  data = 1;
  fclose(out);
  return unused;
}

int main(void) {
  char bytes[20];
  pthread_t producer;
  if (pipe(ends) != 0) return 1;
  FILE* in = fdopen(ends[0], "r");
  pthread_create(&producer, NULL, produce, NULL);
  if (fread(bytes, 1, sizeof bytes, in) != 1) puts("never");
  if (data != 1) puts("never");
  pthread_join(producer, NULL);
  fclose(in);
  puts("done");
}
