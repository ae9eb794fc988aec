// The library's event is set too early.
// library: -DLIBRARY
// expect: race data @write-@read confirmed
#include <pthread.h>
#include <stdio.h>

void event_wait(void);
void event_set(void);

#ifdef LIBRARY
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done;

void event_wait(void) {
  pthread_mutex_lock(&m);
  while (!done) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
}

void event_set(void) {
  pthread_mutex_lock(&m);
  done = 1;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
}
#else
int data;

void* work(void* unused) {
  event_set();
  data = 1;  // @write
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  event_wait();
  if (data > 1) puts("never");  // @read
  pthread_join(worker, NULL);
}
#endif
