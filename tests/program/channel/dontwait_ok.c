// A socket that is asked without waiting orders its reader after its writer all the same.
// expect: none
// output: done
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>

int ends[2], data;

void* produce(void* unused) {
  data = 1;
  if (send(ends[1], "x", 1, MSG_DONTWAIT) != 1) puts("never");
  return unused;
}

int main(void) {
  char byte;
  pthread_t producer;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  pthread_create(&producer, NULL, produce, NULL);
  while (recv(ends[0], &byte, 1, MSG_DONTWAIT) != 1) sched_yield();
  if (data != 1) puts("never");
  pthread_join(producer, NULL);
  puts("done");
}
