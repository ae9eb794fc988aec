// A node is changed after it was put into the list.
// twin: -DORDERED
// expect: race * confirmed
#include <pthread.h>
#include <stdlib.h>
struct node {
  int v;
  struct node* next;
}* head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void* prod(void* p) {
  for (int i = 0; i < 3; i++) {
    struct node* n = malloc(sizeof *n);
    n->v = i;
    pthread_mutex_lock(&m);
    n->next = head;
    head = n;
    pthread_mutex_unlock(&m);
#ifndef ORDERED
    n->v++;
#endif
  }
  return p;
}
void* cons(void* p) {
  for (int i = 0; i < 6; i++) {
    pthread_mutex_lock(&m);
    struct node* n = head;
    if (n) head = n->next;
    pthread_mutex_unlock(&m);
    if (n) {
      n->v += 5;
#ifdef ORDERED
      free(n);
#endif
    }
  }
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, prod, 0);
  pthread_create(&b, 0, cons, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
