// Memory that reaches another thread: through the argument, a global, a result, a pipe, bytes.
// unshared: heap calloc
// shared: heap malloc
// shared: heap strdup
// shared: heap aligned_alloc
// shared(-O0): heap realloc
// shared(-O0): stack on_stack
// no unknown
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct Node { struct Node *next; int *value; };
static struct Node *list;
static int channel[2] = {0, 1};

static void *work(void *argument) {
  int **pointers = argument;
  *pointers[0] += 1;
  list->value[0] += 1;
  // A pointer that came as bytes.
  int *copy;
  for (unsigned i = 0; i < sizeof copy; i++) ((char *)&copy)[i] = ((char *)&pointers[1])[i];
  *copy += 1;
  int *received = pointers[2];
  received[0] += 1;
  char *text = strdup("result");
  return text;
}

int main(void) {
  int on_stack = 1;
  int *in_list = malloc(sizeof *in_list);
  int *as_bytes = aligned_alloc(16, 16);
  int *grown = realloc(NULL, 8);
  struct Node *confined = calloc(1, sizeof *confined);
  int *pointers[3] = {&on_stack, as_bytes, grown};
  *in_list = *as_bytes = grown[0] = 1;
  list = malloc(sizeof *list);
  list->value = in_list;
  confined->next = confined;
  pthread_t thread;
  pthread_create(&thread, NULL, work, pointers);
  void *text;
  pthread_join(thread, &text);
  printf("%s %d %d\n", (char *)text, on_stack, confined->next == confined);
  free(confined);
  return channel[0];
}
