// One thread frees what the other reads.
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
  int* block = calloc(4, sizeof *block);
  pthread_create(&reader, NULL, look, block);
  free(block);  // @free
  pthread_join(reader, NULL);
  puts("done");
}
