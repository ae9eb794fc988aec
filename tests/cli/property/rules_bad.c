/* SPDX-License-Identifier: Apache-2.0 */

/* Unlocks a mutex that the other thread locked, and uses a file after it is closed. */
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* unlock(void* argument) {
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, unlock, NULL);
  pthread_join(thread, NULL);
  FILE* file = fopen("/dev/null", "w");
  fputs("text", file);
  fclose(file);
  file = fopen("/dev/null", "w");
  fputs("text", file);
  return 0;
}
