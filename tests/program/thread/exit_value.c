// The thread hands its block over through a variable while main reads the variable unjoined.
// expect: race result @publish-@take confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void* result;

void* work(void* unused) {
  (void)unused;
  int* block = malloc(sizeof *block);
  *block = 5;
  result = block;  // @publish
  pthread_exit(block);
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  if (result == &worker) puts("never");  // @take
  void* value;
  pthread_join(worker, &value);
  result = value;
  if (*(int*)value != 5) puts("never");
  free(result);
  puts("done");
}
