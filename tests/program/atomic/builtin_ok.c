// A hand-made lock from the compiler's old builtins.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>

int busy, x;

void* work(void* unused) {
  while (__sync_lock_test_and_set(&busy, 1)) continue;
  x++;  // @write
  __sync_lock_release(&busy);
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
