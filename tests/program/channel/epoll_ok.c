// An event loop that is woken by an eventfd and never reads it; then by select.
// expect: none
// output: done
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

int waker, ends[2], data, more;

void* produce(void* unused) {
  const uint64_t one = 1;
  data = 1;
  if (write(waker, &one, sizeof one) != sizeof one) puts("never");
  more = 1;
  if (write(ends[1], "x", 1) != 1) puts("never");
  return unused;
}

int main(void) {
  pthread_t producer;
  const int loop = epoll_create1(0);
  waker = eventfd(0, 0);
  if (pipe(ends) != 0) return 1;
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = &data};
  epoll_ctl(loop, EPOLL_CTL_ADD, waker, &event);
  pthread_create(&producer, NULL, produce, NULL);
  if (epoll_wait(loop, &event, 1, -1) != 1) puts("never");
  if (data != 1) puts("never");
  fd_set readable;
  FD_ZERO(&readable);
  FD_SET(ends[0], &readable);
  if (select(ends[0] + 1, &readable, NULL, NULL, NULL) != 1) puts("never");
  if (more != 1) puts("never");
  pthread_join(producer, NULL);
  puts("done");
}
