// A join that fails because another thread has joined still comes after the end of the thread.
// expect: none
// output: 1 1
#include <pthread.h>
#include <stdio.h>

pthread_t a, b;
int x;

void* set(void* unused) {
  x = 1;
  return unused;
}

void* join(void* unused) {
  (void)unused;
  pthread_join(a, NULL);
  return x ? &x : NULL;
}

int main(void) {
  void* seen;
  pthread_create(&a, NULL, set, NULL);
  pthread_create(&b, NULL, join, NULL);
  pthread_join(a, NULL);
  int mine = x;
  pthread_join(b, &seen);
  printf("%d %d\n", mine, seen != NULL);
}
