// A pointer to a thread-local variable of the worker reaches main: what both do there is a race.
// expect: race * @worker-@main confirmed
#include <pthread.h>
#include <semaphore.h>

static __thread int mine;
static int* shared;
static sem_t published, seen;

static void* worker(void* unused) {
  shared = &mine;
  sem_post(&published);
  mine = 1;  // @worker
  sem_wait(&seen);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&published, 0, 0);
  sem_init(&seen, 0, 0);
  pthread_create(&thread, NULL, worker, NULL);
  sem_wait(&published);
  *shared = 2;  // @main
  sem_post(&seen);
  pthread_join(thread, NULL);
  return 0;
}
