// Two connections over TCP. The second's reader is not ordered after the first's writer; each
// connection's own reader is after its writer, also when it has shut its side down before.
// expect: race data @write-@read confirmed
// output: done
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int first[2], second[2], data, told;

void* write_first(void* unused) {
  data = 1;  // @write
  told = 1;
  if (send(first[1], "x", 1, 0) != 1) puts("never");
  close(first[1]);
  return unused;
}

void* read_first(void* unused) {
  char byte;
  shutdown(first[0], SHUT_WR);
  while (recv(first[0], &byte, 1, 0) > 0) continue;
  if (told != 1) puts("never");
  return unused;
}

void* read_second(void* unused) {
  char byte;
  if (recv(second[0], &byte, 1, 0) != 1) puts("never");
  if (data > 1) puts("never");  // @read
  return unused;
}

void make_connection(int ends[2]) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr*)&at, size) != 0 || listen(listener, 1) != 0) puts("never");
  getsockname(listener, (struct sockaddr*)&at, &size);
  ends[1] = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(ends[1], (struct sockaddr*)&at, size) != 0) puts("never");
  ends[0] = accept(listener, NULL, NULL);
  close(listener);
}

int main(void) {
  pthread_t a, b, c;
  make_connection(first);
  make_connection(second);
  if (send(second[1], "y", 1, 0) != 1) puts("never");
  pthread_create(&a, NULL, write_first, NULL);
  pthread_create(&b, NULL, read_second, NULL);
  pthread_create(&c, NULL, read_first, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  puts("done");
}
