// SPDX-License-Identifier: Apache-2.0
// racy: main writes to the memory it has given away
#include <pthread.h>
#include <stdlib.h>
struct job { int id, result; };
void *work(void *p) {
  struct job *j = p;
  j->result = j->id * 2;
  return 0;
}
int main(void) {
  for (int i = 0;; i++) {
    struct job *j = malloc(sizeof *j);
    j->id = i;
    pthread_t t;
    pthread_create(&t, 0, work, j);
    j->result = 0;
  }
}
