// Starting and joining, in the manner of the Java Grande benchmark: rounds of threads that each do a little.
//
// True verdict: deterministic. Each thread works on its own cell, and all are joined before the next round.
// foretell: deterministic
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 4, kRounds = 25 };
long cells[kThreads];

void *step(void *argument) {
  long *cell = argument;
  *cell = *cell * 3 + 1;
  return 0;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int round = 0; round < kRounds; round++) {
    for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], 0, step, &cells[i]);
    for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
  }
  for (int i = 0; i < kThreads; i++) printf("%ld\n", cells[i]);
  return 0;
}
