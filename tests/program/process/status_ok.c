// The program's own status is passed on when there is nothing to report,
// and here there is nothing.
// expect: none
// expect: status 3
#include <pthread.h>
#include <unistd.h>

int x;

void* work(void* unused) {
  x = 1;  // @b
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
  _exit(3);
}
