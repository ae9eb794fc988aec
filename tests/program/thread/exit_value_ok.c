// The thread hands its block over through pthread_exit; only pthread_join gives it to main.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void* result;

void* work(void* unused) {
  (void)unused;
  int* block = malloc(sizeof *block);
  *block = 5;
  pthread_exit(block);
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  void* value;
  pthread_join(worker, &value);
  result = value;
  if (*(int*)value != 5) puts("never");
  free(result);
  puts("done");
}
