// _exit after the threads were made; what they do is locked.
// expect: none
// expect: status 6
#include <pthread.h>
#include <unistd.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int glob;

void* work(void* unused) {
  pthread_mutex_lock(&m);
  glob++;
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  work(NULL);
  _exit(6);
}
