// The block grows a little, for which the allocator would return the same address. The pointer that
// the other thread has is stale all the same.
// expect: memory * @grow-@write confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int* volatile grown;

void* fill(void* block) {
  *(int*)block = 1;  // @write
  return NULL;
}

int main(void) {
  pthread_t writer;
  int* block = malloc(sizeof *block);
  pthread_create(&writer, NULL, fill, block);
  grown = realloc(block, 5 * sizeof *block);  // @grow
  pthread_join(writer, NULL);
  free(grown);
  puts("done");
}
