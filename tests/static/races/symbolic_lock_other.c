// SPDX-License-Identifier: Apache-2.0
// racy: the lock is that of another node
#include <pthread.h>
#include <stdlib.h>
struct node { pthread_mutex_t m; int v; struct node *next; };
struct node *nodes[10];
extern int __VERIFIER_nondet_int(void);
void *work(void *unused) {
  int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
  if (i < 0 || i >= 10 || j < 0 || j >= 10) return 0;
  struct node *p = nodes[i], *q = nodes[j];
  pthread_mutex_lock(&p->m);
  q->v++;
  pthread_mutex_unlock(&p->m);
  return 0;
}
int main(void) {
  for (int i = 0; i < 10; i++) {
    nodes[i] = malloc(sizeof(struct node));
    pthread_mutex_init(&nodes[i]->m, 0);
    nodes[i]->v = 0;
  }
  pthread_t t;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, work, 0);
  return 0;
}
