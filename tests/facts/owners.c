// The plain cases: who touches what.
// unshared: global of_main
// unshared: heap malloc
// unshared: stack own
// unshared: thread-local per_thread
// shared: global of_both
// shared: global of_workers
// no unknown
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int of_main, of_both, of_workers;
__thread int per_thread;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(int *to, int amount) { *to += amount; }

void *work(void *argument) {
  // Each thread has memory of its own, and gives it to nobody.
  volatile int *own_heap = malloc(sizeof *own_heap);
  int own[2] = {1, 2};
  volatile int *in = own;
  *own_heap = in[1];
  per_thread += in[0];
  pthread_mutex_lock(&lock);
  add(&of_both, *own_heap);
  of_workers++;
  pthread_mutex_unlock(&lock);
  free((void *)own_heap);
  return argument;
}

int main(void) {
  pthread_t a, b;
  of_main = 1;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_mutex_lock(&lock);
  of_both++;
  pthread_mutex_unlock(&lock);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  of_main++;
  printf("%d %d %d %d\n", of_main, of_both, of_workers, per_thread);
  return 0;
}
