// Callers of a function that allocates for them have memory of their own.
// unshared: heap malloc
// shared: heap malloc
// shared: global list
// no unknown
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct Node { struct Node *next; long value; };
struct Node *list;

__attribute__((noinline)) static struct Node *new_node(long value) {
  struct Node *node = malloc(sizeof *node);
  if (!node) abort();
  node->next = NULL;
  node->value = value;
  return node;
}

static void *work(void *argument) {
  list->value++;
  struct Node *volatile own = new_node(3);
  own->value++;
  free(own);
  return argument;
}

int main(void) {
  list = new_node(1);
  list->next = new_node(2);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  printf("%ld %ld\n", list->value, list->next->value);
  return 0;
}
