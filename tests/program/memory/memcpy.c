// Two copies whose targets overlap by one byte.
// expect: race * @low-@high confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <string.h>

char source[64], target[64];
size_t half = 32;

void* low(void* unused) {
  memcpy(target, source, half + 1);  // @low
  return unused;
}

void* high(void* unused) {
  memcpy(target + half, source, half);  // @high
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, low, NULL);
  pthread_create(&b, NULL, high, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("done");
}
