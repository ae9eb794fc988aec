// Two threads write one page of their own mapping, unprotected.
// expect: race * @write-@write confirmed
// output: done
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

char* page;

char* map(void) {
  return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void* work(void* unused) {
  page[7] = 1;  // @write
  return unused;
}

int main(void) {
  pthread_t a, b;
  page = map();
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  munmap(page, 4096);
  puts("done");
}
