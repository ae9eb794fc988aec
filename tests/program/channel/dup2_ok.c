// dup2 closes what the number stood for, here the writing end of the pipe.
// expect: none
// output: done
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int ends[2], data;

void* produce(void* unused) {
  const int nothing = open("/dev/null", O_WRONLY);
  data = 1;
  dup2(nothing, ends[1]);
  return unused;
}

int main(void) {
  char byte;
  pthread_t producer;
  if (pipe(ends) != 0) return 1;
  pthread_create(&producer, NULL, produce, NULL);
  if (read(ends[0], &byte, 1) != 0) puts("never");
  if (data != 1) puts("never");
  pthread_join(producer, NULL);
  puts("done");
}
