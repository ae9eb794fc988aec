// Two threads write neighboring bytes of one word.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>

union {
  unsigned word;
  unsigned char byte[4];
} u;

void* write_byte(void* unused) {
  u.byte[2] = 1;  // @byte
  return unused;
}

void* write_rest(void* unused) {
  u.byte[1] = 2;
  u.byte[3] = 2;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, write_byte, NULL);
  pthread_create(&b, NULL, write_rest, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("done");
}
