// SPDX-License-Identifier: Apache-2.0
// racy: the pointer moves on under the lock
#include <pthread.h>
#include <stdlib.h>
struct node { pthread_mutex_t m; int v; struct node *next; };
struct node *head;
void *work(void *unused) {
  struct node *p = head;
  pthread_mutex_t *m = &p->m;
  pthread_mutex_lock(m);
  while (p) {
    p->v++;
    p = p->next;
  }
  pthread_mutex_unlock(m);
  return 0;
}
int main(void) {
  for (int i = 0; i < 20; i++) {
    struct node *n = malloc(sizeof *n);
    pthread_mutex_init(&n->m, 0);
    n->v = 0;
    n->next = head;
    head = n;
  }
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  head = head->next;
  pthread_create(&b, 0, work, 0);
  return 0;
}
