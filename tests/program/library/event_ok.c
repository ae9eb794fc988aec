// A library that was not instrumented has an event: a flag, a mutex and a condition. Which thread
// comes first is up to the schedule, but whoever has waited comes after whoever has set it.
// library: -DLIBRARY
// expect: none
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
