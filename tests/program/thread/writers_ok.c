// Two threads write neighbors in an array.
// expect: none
// output: 1
#include <pthread.h>
#include <stdio.h>

int slot[2];

void* work(void* place) {
  *(int*)place = 1;  // @write
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, &slot[0]);
  pthread_create(&b, NULL, work, &slot[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("%d\n", slot[0]);
}
