// A thread writes into its creator's stack frame while the creator reads there.
// expect: race answer @write-@read confirmed
// output: done
#include <pthread.h>
#include <stdio.h>

void* work(void* place) {
  *(int*)place = 1;  // @write
  return NULL;
}

int ask(void) {
  int answer = 0;
  pthread_t worker;
  pthread_create(&worker, NULL, work, &answer);
  const int seen = answer;  // @read
  pthread_join(worker, NULL);
  return seen;
}

int main(void) {
  puts(ask() > 1 ? "never" : "done");
}
