// Two bit-fields that a zero-width field parts are two memory locations.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>

struct Flags {
  unsigned a : 4;
  unsigned : 0;
  unsigned b : 4;
} flags;

void* set_a(void* unused) {
  flags.a = 1;  // @a
  return unused;
}

void* set_b(void* unused) {
  flags.b = 1;  // @b
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, set_a, NULL);
  pthread_create(&b, NULL, set_b, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("done");
}
