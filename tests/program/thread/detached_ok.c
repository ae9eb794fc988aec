// A detached thread cannot be joined: the semaphore orders its result before main's look at it.
// expect: none
// output: done
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

int result;
sem_t finished;

void* work(void* unused) {
  (void)unused;
  result = 7;  // @write
  sem_post(&finished);
  return NULL;
}

int main(void) {
  sem_init(&finished, 0, 0);
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_detach(worker);
  sem_wait(&finished);
  if (result > 7) puts("never");  // @read
  puts("done");
}
