// One thread writes a byte, the other the whole word around it.
// expect: race * @byte-@word confirmed
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
  u.word = 2;  // @word
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
