// Two pairs of sockets: what one carries does not order what the other carries.
// expect: race data @write-@read confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>

int first[2], second[2], data;

void* write_first(void* unused) {
  data = 1;  // @write
  if (send(first[1], "x", 1, 0) != 1) puts("never");
  return unused;
}

void* read_second(void* unused) {
  char byte;
  if (recv(second[0], &byte, 1, 0) != 1) puts("never");
  if (data > 1) puts("never");  // @read
  return unused;
}

int main(void) {
  pthread_t a, b;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, first) != 0) return 1;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, second) != 0) return 1;
  if (send(second[1], "y", 1, 0) != 1) puts("never");
  pthread_create(&a, NULL, write_first, NULL);
  pthread_create(&b, NULL, read_second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("done");
}
