// A plain flag in front of pthread_once, to save its cost.
// expect: race made @set-@test confirmed
// output: done
#include <pthread.h>
#include <stdio.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int made, table;

void make(void) {
  table = 1;
  made = 1;  // @set
}

void* use(void* unused) {
  (void)unused;
  if (!made) pthread_once(&once, make);  // @test
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, use, NULL);
  pthread_create(&b, NULL, use, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("done");
}
