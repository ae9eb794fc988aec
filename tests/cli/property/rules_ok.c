/* SPDX-License-Identifier: Apache-2.0 */

/* Follows the rules that rules_bad.c breaks. */
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* lock(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, lock, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  FILE* file = fopen("/dev/null", "w");
  fputs("text", file);
  fclose(file);
  return 0;
}
