// SPDX-License-Identifier: Apache-2.0
// race-free: main ends the program while the others wait for ever
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void *worker(void *unused) {
  pthread_mutex_lock(&m);
  shared++;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, worker, 0);
  pthread_mutex_lock(&m);
  shared++;
  pthread_mutex_unlock(&m);
  exit(0);
}
