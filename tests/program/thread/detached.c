// A detached thread leaves its result where main looks for it without asking whether it is there.
// expect: race result @write-@read confirmed
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
  if (result > 7) puts("never");  // @read
  sem_wait(&finished);
  puts("done");
}
