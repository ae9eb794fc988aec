// What main returns depends on the schedule, but it reports no error: nothing ends badly. (That the
// value depends on the schedule is what --analysis=nondeterminism says.)
// expect: none
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int done;

void* work(void* unused) {
  pthread_mutex_lock(&m);
  done = 1;
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_mutex_lock(&m);
  int seen = done;
  pthread_mutex_unlock(&m);
  pthread_join(worker, NULL);
  printf("%s\n", seen ? "early" : "late");
}
