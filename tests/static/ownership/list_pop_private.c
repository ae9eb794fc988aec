// SPDX-License-Identifier: Apache-2.0
// race-free: what was popped belongs to whoever popped it
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
static void *popper(void *unused) {
  pthread_mutex_lock(&m);
  struct node *n = head;
  if (n) head = n->next;
  pthread_mutex_unlock(&m);
  if (n) {
    n->value++;
    free(n);
  }
  return unused;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, pusher, 0);
  pthread_create(&b, 0, popper, 0);
  pthread_create(&c, 0, popper, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
