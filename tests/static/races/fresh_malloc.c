// SPDX-License-Identifier: Apache-2.0
// race-free: every thread gets memory of its own and frees it
#include <pthread.h>
#include <stdlib.h>
struct job { int id, result; };
void *work(void *p) {
  struct job *j = p;
  j->result = j->id * 2;
  free(j);
  return 0;
}
int main(void) {
  for (int i = 0;; i++) {
    struct job *j = malloc(sizeof *j);
    j->id = i;
    pthread_t t;
    pthread_create(&t, 0, work, j);
  }
}
