// Critical sections, in the manner of the Java Grande benchmark: threads count in one counter under a lock, and in
// one by atomic additions.
//
// True verdict: same result in any order. Which thread counts first is open; sums do not depend on it.
// foretell: same result in any order
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 3, kRounds = 200 };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int locked_count, weighted;
_Atomic int atomic_count;

void *count(void *argument) {
  int weight = (int)(long)argument + 1;
  for (int i = 0; i < kRounds; i++) {
    pthread_mutex_lock(&lock);
    locked_count++;
    weighted += weight;
    pthread_mutex_unlock(&lock);
    atomic_count++;
  }
  return 0;
}

int main(void) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], 0, count, (void *)i);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
  printf("%d %d %d\n", locked_count, weighted, atomic_count);
  return 0;
}
