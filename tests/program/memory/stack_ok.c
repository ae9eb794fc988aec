// A thread writes into its creator's stack frame, and the creator waits for it.
// expect: none
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
  pthread_join(worker, NULL);
  return answer;
}

int main(void) {
  puts(ask() > 1 ? "never" : "done");
}
