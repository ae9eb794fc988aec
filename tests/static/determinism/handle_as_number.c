// handle as number
// nondeterministic: a handle is printed
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x;
void *one(void *p) {
  return 0;
}
void *two(void *p) {
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  printf("%lu\n", (unsigned long)a);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return x;
}
