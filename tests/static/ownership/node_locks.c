// SPDX-License-Identifier: Apache-2.0
// race-free: every node has a lock of its own
#include <pthread.h>
#include <stdlib.h>
struct node { int value; struct node *next; pthread_mutex_t lock; };
static struct node *head;
static void *worker(void *unused) {
  for (struct node *n = head; n; n = n->next) {
    pthread_mutex_lock(&n->lock);
    n->value++;
    pthread_mutex_unlock(&n->lock);
  }
  return unused;
}
int main(void) {
  for (int i = 0; i < 5; i++) {
    struct node *n = malloc(sizeof *n);
    n->value = 0;
    n->next = head;
    pthread_mutex_init(&n->lock, 0);
    head = n;
  }
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
