// SPDX-License-Identifier: Apache-2.0
// race-free: the new node is filled before it is put in the list
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m;
struct node { int v; struct node *next; } *list;
void *work(void *unused) {
  struct node *n = malloc(sizeof *n);
  n->v = 1;
  pthread_mutex_lock(&m);
  n->next = list;
  list = n;
  if (list) list->v = 2;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, work, 0);
}
