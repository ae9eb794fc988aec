// An event counter that is written too early.
// expect: race data @write-@read confirmed
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>

int data, counter;

void* work(void* unused) {
  eventfd_write(counter, 1);
  data = 1;  // @write
  return unused;
}

int main(void) {
  pthread_t worker;
  eventfd_t value;
  counter = eventfd(0, 0);
  pthread_create(&worker, NULL, work, NULL);
  eventfd_read(counter, &value);
  if (data > 1) puts("never");  // @read
  pthread_join(worker, NULL);
}
