// One thread grows the table while the other reads in it.
// expect: memory * @grow-@read confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int* table;

void* look(void* unused) {
  int* it = table;
  if (it[0] == 77) puts("never");  // @read
  return unused;
}

int main(void) {
  pthread_t reader;
  table = calloc(4, sizeof *table);
  pthread_create(&reader, NULL, look, NULL);
  int* grown = realloc(table, 4096 * sizeof *table);  // @grow
  pthread_join(reader, NULL);
  table = grown;
  free(table);
  puts("done");
}
