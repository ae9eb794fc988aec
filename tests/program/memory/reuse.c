// Each thread allocates, writes, and frees; the allocator gives both the same address
// while a pointer to the first block is still in use.
// expect: race * @own-@foreign confirmed
// expect: race * @own-@own confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int* leaked;

void* work(void* unused) {
  *leaked = 1;  // @own
  return unused;
}

int main(void) {
  pthread_t a, b;
  leaked = malloc(sizeof *leaked);
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  *leaked = 2;  // @foreign
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("done");
}
