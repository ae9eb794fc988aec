// joins in a long main, one left
// nondeterministic: one of them is not joined
#include <pthread.h>
#include <stdio.h>

long cells[8];

void *step(void *argument) {
  long *cell = argument;
  *cell = *cell * 3 + 1;
  return 0;
}

int main(void) {
  pthread_t threads[8];
  for (int i = 0; i < 8; i++) pthread_create(&threads[i], 0, step, &cells[i]);
  for (int i = 0; i < 7; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < 8; i++)
    if (cells[i] != 1) printf("%d: %ld\n", i, cells[i]);
  return 0;
}
