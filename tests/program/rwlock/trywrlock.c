// main holds the lock for reading while the thread tries to take it for writing,
// fails, and writes nevertheless.
// expect: race value @read-@write confirmed
// output: busy
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
sem_t tried;
int value;

void* change(void* unused) {
  (void)unused;
  const int status = pthread_rwlock_trywrlock(&lock);
  puts(status == EBUSY ? "busy" : "free");
  sem_post(&tried);
  value = 1;  // @write
  return NULL;
}

int main(void) {
  pthread_t worker;
  sem_init(&tried, 0, 0);
  pthread_rwlock_rdlock(&lock);
  pthread_create(&worker, NULL, change, NULL);
  sem_wait(&tried);
  if (value > 1) puts("never");  // @read
  pthread_rwlock_unlock(&lock);
  pthread_join(worker, NULL);
}
