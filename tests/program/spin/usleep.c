// Polls a plain variable with usleep.
// expect: race ready @write-@poll confirmed
// output: ready
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

volatile int ready;

void* produce(void* unused) {
  (void)unused;
  ready = 1;  // @write
  return NULL;
}

int main(void) {
  pthread_t producer;
  pthread_create(&producer, NULL, produce, NULL);
  while (!ready) usleep(1000);  // @poll
  puts("ready");
  pthread_join(producer, NULL);
}
