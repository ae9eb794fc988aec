// SPDX-License-Identifier: Apache-2.0
// racy: one handle is written over the others
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
struct thread {
  pthread_t tid;
  int data;
};
struct thread* first;
void* thread(void* arg) {
  struct thread* self = (struct thread*)arg;
  self->data = __VERIFIER_nondet_int();
  return NULL;
}
int main() {
  int n = __VERIFIER_nondet_int();
  assume_abort_if_not(n >= 0);
  struct thread* ts = malloc(n * sizeof(struct thread));
  for (int i = 0; i < n; i++) {
    pthread_create(&ts[i].tid, NULL, thread, &ts[i]);
  }
  for (int i = 0; i < n; i++)
    if (i > 0) ts[i].tid = ts[0].tid;
  for (int i = 0; i < n; i++) pthread_join(ts[i].tid, NULL);
  int s = 0;
  for (int i = 0; i < n; i++) s += ts[i].data;
  return s;
}
