// never joined
// nondeterministic: the process may end before the thread has written
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x;
void *set(void *p) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, set, 0);
  return 0;
}
