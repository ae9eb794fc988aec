// Twelve threads meet at a barrier many times, are joined, and the barrier is destroyed: neither do
// their waits look like deadlocks, nor their last ones like uses of a barrier that is gone.
//
// run: --possible
// expect: none
#include <pthread.h>

enum { kThreads = 12, kRounds = 10 };
static pthread_barrier_t turn;

static void *work(void *unused) {
  for (int i = 0; i < kRounds; i++) {
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
  }
  return unused;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&turn, 0, kThreads);
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
  return pthread_barrier_destroy(&turn);
}
