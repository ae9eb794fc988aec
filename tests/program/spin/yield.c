// Polls a plain variable with sched_yield.
// expect: race ready @write-@poll confirmed
// output: 1
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

volatile int ready;
int data;

void* produce(void* unused) {
  (void)unused;
  data = 1;   // @data
  ready = 1;  // @write
  return NULL;
}

int main(void) {
  pthread_t producer;
  pthread_create(&producer, NULL, produce, NULL);
  while (!ready) sched_yield();  // @poll
  printf("%d\n", data);          // @read
  pthread_join(producer, NULL);
}
