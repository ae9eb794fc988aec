// Two posts for two waits.
// expect: none
// output: start
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

sem_t full;

void* work(void* unused) {
  (void)unused;
  sem_wait(&full);  // @wait
  return NULL;
}

int main(void) {
  pthread_t a, b;
  puts("start");
  fflush(stdout);
  sem_init(&full, 0, 0);
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  sem_post(&full);
  sem_post(&full);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
