// Writes first, posts then.
// expect: none
// output: done
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

sem_t full;
int data;

void* produce(void* unused) {
  (void)unused;
  data = 1;  // @write
  sem_post(&full);
  return NULL;
}

int main(void) {
  pthread_t producer;
  sem_init(&full, 0, 0);
  pthread_create(&producer, NULL, produce, NULL);
  sem_wait(&full);
  if (data > 1) puts("never");  // @read
  pthread_join(producer, NULL);
  puts("done");
}
