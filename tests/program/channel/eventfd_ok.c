// An event counter, by its own functions.
// expect: none
// output: 1
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>

int data, counter;

void* work(void* unused) {
  data = 1;
  eventfd_write(counter, 1);
  return unused;
}

int main(void) {
  pthread_t worker;
  eventfd_t value;
  counter = eventfd(0, 0);
  pthread_create(&worker, NULL, work, NULL);
  eventfd_read(counter, &value);
  printf("%d\n", data);
  pthread_join(worker, NULL);
}
