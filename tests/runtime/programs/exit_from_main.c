// main ends by pthread_exit; the others go on, and the last one ends the process.
// output: late
// records: ThreadEnd
// count: ThreadEnd 2
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_t first;

static void *late(void *unused) {
  pthread_join(first, NULL);
  printf("late\n");
  return unused;
}

int main() {
  first = pthread_self();
  pthread_t thread;
  pthread_create(&thread, NULL, late, NULL);
  pthread_exit(NULL);
}
