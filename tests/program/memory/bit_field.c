// Two bit-fields that share their word: writing one writes the other too.
// expect: race * @a-@b confirmed
// output: done
#include <pthread.h>
#include <stdio.h>

struct Flags {
  unsigned a : 4;
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
