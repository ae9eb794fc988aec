// Each thread gets a copy of the loop's variable of its own.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>

void* work(void* number) {
  if (*(int*)number > 2) puts("never");  // @read
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int number[2];
  for (int i = 0; i < 2; i++) {
    number[i] = i;
    pthread_create(&threads[i], NULL, work, &number[i]);
  }
  for (int j = 0; j < 2; j++) pthread_join(threads[j], NULL);
  puts("done");
}
