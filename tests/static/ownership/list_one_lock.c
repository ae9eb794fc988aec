// SPDX-License-Identifier: Apache-2.0
// race-free: a list under one lock
#include <pthread.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *head;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *pusher(void *unused) {
  for (int i = 0; i < 10; i++) {
    struct node *n = malloc(sizeof *n);
    n->value = i;
    pthread_mutex_lock(&m);
    n->next = head;
    head = n;
    pthread_mutex_unlock(&m);
  }
  return unused;
}
static void *reader(void *unused) {
  pthread_mutex_lock(&m);
  for (struct node *n = head; n; n = n->next) n->value++;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, pusher, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
