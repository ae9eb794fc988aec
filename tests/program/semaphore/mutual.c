// A semaphore as a lock, with two places.
// expect: race x @write-@write confirmed
// output: done
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

sem_t lock;
int x;

void* work(void* unused) {
  (void)unused;
  sem_wait(&lock);
  x++;  // @write
  sem_post(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  sem_init(&lock, 0, 2);
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("done");
}
