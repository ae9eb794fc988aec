// Both threads get the address of the loop's variable, which the loop goes on changing.
// expect: race i @loop-@read confirmed
// output: done
#include <pthread.h>
#include <stdio.h>

void* work(void* number) {
  if (*(int*)number > 2) puts("never");  // @read
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int i;
  for (i = 0; i < 2; i++) {  // @loop
    pthread_create(&threads[i], NULL, work, &i);
  }
  for (int j = 0; j < 2; j++) pthread_join(threads[j], NULL);
  puts("done");
}
