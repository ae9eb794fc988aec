// poll says that the other end is closed; nothing is read.
// expect: none
// output: done
#include <poll.h>
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
  pthread_t producer;
  if (pipe(ends) != 0) return 1;
  pthread_create(&producer, NULL, produce, NULL);
  struct pollfd end = {ends[0], POLLIN, 0};
  if (poll(&end, 1, -1) != 1) puts("never");
  if (data != 1) puts("never");
  pthread_join(producer, NULL);
  puts("done");
}
