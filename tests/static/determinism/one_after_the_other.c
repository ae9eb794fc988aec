// one after the other
// deterministic: joined before the next is started
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x;
void *add(void *p) {
  x = x * 2 + 1;
  return 0;
}
int main(void) {
  pthread_t t;
  for (int i = 0; i < 3; i++) {
    pthread_create(&t, 0, add, 0);
    pthread_join(t, 0);
  }
  return x;
}
