// The handler of a signal that arrives during a wait writes what main reads without a lock. Where
// in its thread a handler runs depends on when the signal is sent, so the replay differs.
// expect: race hits @handler-@main predicted
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int run = 1;
volatile int hits;

void handler(int number) {
  (void)number;
  hits = 1;  // @handler
}

void* work(void* unused) {
  pthread_mutex_lock(&m);
  while (run) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t worker;
  signal(SIGUSR1, handler);
  pthread_create(&worker, NULL, work, NULL);
  sleep(1);
  pthread_kill(worker, SIGUSR1);
  int seen = hits;  // @main
  pthread_mutex_lock(&m);
  run = 0;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  pthread_join(worker, NULL);
  return seen > 1;
}
