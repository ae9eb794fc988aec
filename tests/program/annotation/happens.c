// A hand-off that Foretell cannot see, through a flag that is read and written in an ignored
// region. Nobody tells it. Replays spin on the flag until their time is up.
// run: --replay-timeout=2
// expect: race data @write-@read predicted
// output: 1
#include <foretell/foretell.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

volatile int flag;
int data;

void set(void) {
  FORETELL_IGNORE_BEGIN();
  flag = 1;
  FORETELL_IGNORE_END();
}

int is_set(void) {
  FORETELL_IGNORE_BEGIN();
  const int seen = flag;
  FORETELL_IGNORE_END();
  return seen;
}

void* produce(void* unused) {
  data = 1;  // @write
  set();
  return unused;
}

int main(void) {
  pthread_t producer;
  pthread_create(&producer, NULL, produce, NULL);
  while (!is_set()) sched_yield();
  printf("%d\n", data);  // @read
  pthread_join(producer, NULL);
}
