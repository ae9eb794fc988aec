// The place is taken, and the thread does not mind.
// expect: race x @main-@worker confirmed
// output: done
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>

sem_t place, tried;
int x;

void* work(void* unused) {
  (void)unused;
  if (sem_trywait(&place) == 0) puts("never");
  sem_post(&tried);
  x = 2;  // @worker
  return NULL;
}

int main(void) {
  pthread_t worker;
  sem_init(&place, 0, 0);
  sem_init(&tried, 0, 0);
  pthread_create(&worker, NULL, work, NULL);
  sem_wait(&tried);
  x = 1;  // @main
  sem_post(&place);
  pthread_join(worker, NULL);
  puts("done");
}
