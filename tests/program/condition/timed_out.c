// The wait has a time limit, and a slow machine may reach it: then what is read is not ready. Further
// runs let a short limit pass although another thread could go on.
// run: --runs=60
// expect: race item @write-@read confirmed
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, item;

void* make(void* unused) {
  item = 1;  // @write
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t maker;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 200000000;
  pthread_create(&maker, NULL, make, NULL);
  pthread_mutex_lock(&m);
  int late = 0;
  while (!ready && !late) late = pthread_cond_timedwait(&c, &m, &until);
  pthread_mutex_unlock(&m);
  int taken = item;  // @read
  pthread_join(maker, NULL);
  return taken > 1;
}
