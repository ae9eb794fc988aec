// The wrong variable is called benign.
// expect: race hits @count-@count confirmed
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
  FORETELL_BENIGN_RACE(&misses, sizeof misses);
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("%s", misses ? "never" : "");
  puts("done");
}
