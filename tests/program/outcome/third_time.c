// Only the third time that the worker looks it matters what it sees.
// expect: nondeterminism stop @look-@set confirmed
// consequence: is killed by SIGABRT
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int stop;

void* work(void* unused) {
  for (int i = 0; i < 4; i++) {
    pthread_mutex_lock(&m);
    int seen = stop;  // @look
    pthread_mutex_unlock(&m);
    if (seen && i == 2) abort();
    if (seen) return unused;
  }
  return unused;
}

void* end_it(void* unused) {
  pthread_mutex_lock(&m);
  stop = 1;  // @set
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t worker, ender;
  pthread_create(&worker, NULL, work, NULL);
  pthread_create(&ender, NULL, end_it, NULL);
  pthread_join(worker, NULL);
  pthread_join(ender, NULL);
}
