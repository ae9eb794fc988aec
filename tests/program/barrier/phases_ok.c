// Each thread writes its own half, both meet, each reads the other's half
// and they meet again before the next phase begins.
// expect: none
// output: done
#include <pthread.h>
#include <stdio.h>

pthread_barrier_t barrier;
int half[2];

void* work(void* number) {
  const long me = (long)number;
  half[me] = 1;
  pthread_barrier_wait(&barrier);
  if (half[1 - me] > 2) puts("never");  // @read
  pthread_barrier_wait(&barrier);
  half[me] = 2;  // @next
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&a, NULL, work, (void*)0);
  pthread_create(&b, NULL, work, (void*)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("done");
}
