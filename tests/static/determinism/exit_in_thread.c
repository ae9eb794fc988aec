// exit in thread
// nondeterministic: how far main is when the thread ends the process
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x, y;
void *one(void *p) {
  if (x) exit(1);
  return 0;
}
void *two(void *p) {
  y = 1;
  return 0;
}
int main(int argc, char **argv) {
  x = argc > 1;
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return y;
}
