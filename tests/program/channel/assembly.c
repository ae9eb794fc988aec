// A compiler barrier orders nothing between threads.
// expect: race data @write-@read confirmed
// output: done
#include <pthread.h>
#include <stdio.h>

int word, data;

void* produce(void* unused) {
  data = 1;  // @write
  __asm__ __volatile__("" : "+m"(word) : : "memory");
  return unused;
}

int main(void) {
  pthread_t producer;
  pthread_create(&producer, NULL, produce, NULL);
  __asm__ __volatile__("" : "+m"(word) : : "memory");
  if (data > 1) puts("never");  // @read
  pthread_join(producer, NULL);
  puts("done");
}
