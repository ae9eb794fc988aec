// The results of every type of mutex are libc's.
// output: recursive 0 0 0 0 1
// output: errorcheck 0 35 0 1
// output: timed 110 22 0
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t make(int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &attributes);
  return mutex;
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *try_held(void *unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 1000;
  if (until.tv_nsec >= 1000000000) until.tv_nsec = 0, until.tv_sec++;
  const int timed = pthread_mutex_timedlock(&held, &until);
  struct timespec bad = {0, 2000000000};
  const int invalid = pthread_mutex_timedlock(&held, &bad);
  pthread_mutex_t mine = make(PTHREAD_MUTEX_DEFAULT);
  printf("timed %d %d %d\n", timed, invalid, pthread_mutex_clocklock(&mine, CLOCK_MONOTONIC, &until));
  return unused;
}

int main() {
  pthread_mutex_t recursive = make(PTHREAD_MUTEX_RECURSIVE);
  printf("recursive %d", pthread_mutex_lock(&recursive));
  printf(" %d", pthread_mutex_trylock(&recursive));
  printf(" %d", pthread_mutex_unlock(&recursive));
  printf(" %d", pthread_mutex_unlock(&recursive));
  printf(" %d\n", pthread_mutex_unlock(&recursive));
  pthread_mutex_t checking = make(PTHREAD_MUTEX_ERRORCHECK);
  printf("errorcheck %d", pthread_mutex_lock(&checking));
  printf(" %d", pthread_mutex_lock(&checking));
  printf(" %d", pthread_mutex_unlock(&checking));
  printf(" %d\n", pthread_mutex_unlock(&checking));
  pthread_mutex_lock(&held);
  pthread_t thread;
  pthread_create(&thread, NULL, try_held, NULL);
  pthread_join(thread, NULL);
}
