// Each thread allocates, writes, and frees; the allocator gives both the same address
// one after the other, which makes them two locations, not one.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void* work(void* unused) {
  int* block = malloc(sizeof *block);
  *block = 1;
  free(block);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("done");
}
