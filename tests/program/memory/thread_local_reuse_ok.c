// A thread-local variable and errno lie where those of an earlier thread were that has ended and
// that nothing orders before this one.
// expect: none
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

enum { kWorkers = 4, kLeaves = 2 };
static __thread int mine[10];

static void* leaf(void* unused) {
  mine[1]++;
  errno = mine[1];
  return unused;
}

static void* worker(void* seconds) {
  pthread_t leaves[kLeaves];
  sleep((unsigned)(long)seconds);
  for (int i = 0; i < kLeaves; i++) {
    pthread_create(&leaves[i], NULL, leaf, NULL);
    usleep(10);
  }
  for (int i = 0; i < kLeaves; i++) pthread_join(leaves[i], NULL);
  return NULL;
}

int main(void) {
  pthread_t workers[kWorkers];
  for (long i = 0; i < kWorkers; i++) pthread_create(&workers[i], NULL, worker, (void*)i);
  for (long i = 0; i < kWorkers; i++) pthread_join(workers[i], NULL);
  return 0;
}
