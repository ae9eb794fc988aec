// Threads that talk through a pipe and a socket pair, with more than either holds, stay controlled.
// output: 300000 300000 200000 eof 0 poll 1 0 select 1 epoll 1
// header controlled: uncontrolled=0
// header controlled: watchdog=0
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], sockets[2];

static void *write_pipe(void *size) {
  char *data = calloc(1, (size_t)size);
  printf("%ld ", (long)write(ends[1], data, (size_t)size));
  close(ends[1]);
  free(data);
  return NULL;
}

static void *write_socket(void *size) {
  char *data = calloc(1, (size_t)size);
  long sent = 0;
  while (sent < (long)size) sent += send(sockets[1], data, (size_t)size - sent, 0);
  free(data);
  return NULL;
}

static long read_all(int fd, long size) {
  char part[1000];
  long got = 0, n;
  while (got < size && (n = read(fd, part, sizeof part)) > 0) got += n;
  return got;
}

static void *write_late(void *unused) {
  usleep(1000);
  write(sockets[1], "x", 1);
  return unused;
}

int main() {
  pthread_t thread;
  pipe(ends);
  pthread_create(&thread, NULL, write_pipe, (void *)300000);
  long got = read_all(ends[0], 300000);
  pthread_join(thread, NULL);
  printf("%ld ", got);
  socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
  pthread_create(&thread, NULL, write_socket, (void *)200000);
  printf("%ld ", read_all(sockets[0], 200000));
  pthread_join(thread, NULL);
  printf("eof %ld ", read_all(ends[0], 1));
  struct pollfd one = {sockets[0], POLLIN, 0};
  pthread_create(&thread, NULL, write_late, NULL);
  printf("poll %d ", poll(&one, 1, -1));
  read_all(sockets[0], 1);
  pthread_join(thread, NULL);
  printf("%d ", poll(&one, 1, 50));
  fd_set set;
  FD_ZERO(&set);
  FD_SET(sockets[0], &set);
  pthread_create(&thread, NULL, write_late, NULL);
  printf("select %d ", select(sockets[0] + 1, &set, NULL, NULL, NULL));
  pthread_join(thread, NULL);
  int epoll = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {0}};
  epoll_ctl(epoll, EPOLL_CTL_ADD, sockets[0], &event);
  printf("epoll %d\n", epoll_wait(epoll, &event, 1, -1));
}
