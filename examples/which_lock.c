// SPDX-License-Identifier: Apache-2.0

// COVER figure 1: which lock is taken depends on the input.
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
int X;

void *work(void *unused) {
  for (int i = 1; i <= 5; i++) {
    if (X == 0) {
      pthread_mutex_lock(&A);
      pthread_mutex_unlock(&A);
    } else {
      pthread_mutex_lock(&B);
      pthread_mutex_unlock(&B);
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  X = atoi(argv[1]);
  pthread_t one, two;
  pthread_create(&one, 0, work, 0);
  pthread_create(&two, 0, work, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
