// The table is grown and read under a lock.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int* table;

void* look(void* unused) {
  pthread_mutex_lock(&m);
  int* it = table;
  if (it[0] == 77) puts("never");  // @read
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t reader;
  table = calloc(4, sizeof *table);
  pthread_create(&reader, NULL, look, NULL);
  pthread_mutex_lock(&m);
  table = realloc(table, 4096 * sizeof *table);
  pthread_mutex_unlock(&m);
  pthread_join(reader, NULL);
  free(table);
  puts("done");
}
