// abort ends the process at once: the thread never runs.
// expect: crash 6
#include <pthread.h>
#include <stdlib.h>

int glob;

void* work(void* unused) {
  glob++;
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  glob++;
  abort();
}
