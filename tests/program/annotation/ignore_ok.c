// What is done inside the ignored region is not looked at.
// expect: none
// output: done
#include <foretell/foretell.h>
#include <pthread.h>
#include <stdio.h>

int x;

void* work(void* unused) {
  FORETELL_IGNORE_BEGIN();
  x++;
  FORETELL_IGNORE_END();
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
