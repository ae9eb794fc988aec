// SPDX-License-Identifier: Apache-2.0
// racy: one piece of memory for all threads
#include <pthread.h>
#include <stdlib.h>
struct job { int id, result; };
void *work(void *p) {
  struct job *j = p;
  j->result = 2;
  return 0;
}
int main(void) {
  struct job *j = malloc(sizeof *j);
  for (int i = 0;; i++) {
    pthread_t t;
    pthread_create(&t, 0, work, j);
  }
}
