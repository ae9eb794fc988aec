// pthread_once alone: whoever comes second sees what the first made.
// expect: none
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
  pthread_once(&once, make);
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
