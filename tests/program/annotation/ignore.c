// The region that is ignored ends too early.
// expect: race x @count-@count confirmed
// output: done
#include <foretell/foretell.h>
#include <pthread.h>
#include <stdio.h>

int x;

void* work(void* unused) {
  FORETELL_IGNORE_BEGIN();
  FORETELL_IGNORE_END();
  x++;  // @count
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
