// SPDX-License-Identifier: Apache-2.0
// racy: what is at the head is touched without the lock
#include <pthread.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *head;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *pusher(void *unused) {
  struct node *n = malloc(sizeof *n);
  n->value = 1;
  pthread_mutex_lock(&m);
  n->next = head;
  head = n;
  pthread_mutex_unlock(&m);
  return unused;
}
static void *peeker(void *unused) {
  pthread_mutex_lock(&m);
  struct node *n = head;
  pthread_mutex_unlock(&m);
  if (n) n->value++;
  return unused;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, pusher, 0);
  pthread_create(&b, 0, peeker, 0);
  pthread_create(&c, 0, peeker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
