// SPDX-License-Identifier: Apache-2.0
// unproved: a thread starts the next one and waits for it
#include <pthread.h>
static int depth;
static void *worker(void *argument) {
  long left = (long)argument;
  if (left > 0) {
    pthread_t t;
    pthread_create(&t, 0, worker, (void *)(left - 1));
    pthread_join(t, 0);
  }
  depth++;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, (void *)3);
  pthread_join(t, 0);
  return depth;
}
