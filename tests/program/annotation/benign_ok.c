// A counter that may lose counts, and says so.
// expect: none
// output: done
#include <foretell/foretell.h>
#include <pthread.h>
#include <stdio.h>

int hits, misses;

void* work(void* unused) {
  hits++;  // @count
  return unused;
}

int main(void) {
  pthread_t a, b;
  FORETELL_BENIGN_RACE(&hits, sizeof hits);
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("%s", misses ? "never" : "");
  puts("done");
}
