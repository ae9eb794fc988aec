// Barriers, in the manner of the Java Grande benchmark: threads pass a barrier many times, and look in each phase
// at what the others have done in the one before.
//
// True verdict: deterministic. In each phase each thread writes its own element of one array and reads all of the
// other, and the barrier is between.
// foretell: possibly nondeterministic (the order that a barrier makes is not used yet)
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 3, kPhases = 50 };
pthread_barrier_t barrier;
int values[2][kThreads];

void *work(void *argument) {
  int self = (int)(long)argument;
  for (int phase = 0; phase < kPhases; phase++) {
    int sum = 0;
    for (int i = 0; i < kThreads; i++) sum += values[phase & 1][i];
    values[~phase & 1][self] = sum % 1000 + self;
    pthread_barrier_wait(&barrier);
  }
  return 0;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&barrier, 0, kThreads);
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < kThreads; i++) printf("%d\n", values[kPhases & 1][i]);
  return 0;
}
