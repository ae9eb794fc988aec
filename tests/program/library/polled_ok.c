// A library that was not instrumented has a flag under a read-write lock and polls it.
// library: -DLIBRARY
// expect: none
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

void event_wait(void);
void event_set(void);

#ifdef LIBRARY
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int done;

void event_wait(void) {
  for (int seen = 0; !seen; sched_yield()) {
    pthread_rwlock_rdlock(&l);
    seen = done;
    pthread_rwlock_unlock(&l);
  }
}

void event_set(void) {
  pthread_rwlock_wrlock(&l);
  done = 1;
  pthread_rwlock_unlock(&l);
}
#else
int data;

void* work(void* unused) {
  data = 1;
  event_set();
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  event_wait();
  printf("%d\n", data);
  pthread_join(worker, NULL);
}
#endif
