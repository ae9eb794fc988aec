// The first block is freed, and the next one of the same size would take its place. The reader has
// the old pointer.
// expect: memory * @free-@read confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void* look(void* block) {
  if (*(int*)block == 77) puts("never");  // @read
  return NULL;
}

int main(void) {
  pthread_t reader;
  int* first = calloc(1, sizeof *first);
  pthread_create(&reader, NULL, look, first);
  free(first);  // @free
  int* second = malloc(sizeof *second);
  *second = 1;
  pthread_join(reader, NULL);
  free(second);
  puts("done");
}
