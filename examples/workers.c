// Two threads count under a lock, each with a result of its own; one counter is forgotten.
//
//   foretell check --races examples/workers.c
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total, calls;
int results[2];

void *work(void *result) {
  pthread_mutex_lock(&lock);
  total++;
  pthread_mutex_unlock(&lock);
  calls++;
  *(int *)result = 1;
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, &results[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  printf("%d %d %d\n", total, calls, results[0] + results[1]);
}
