// quick_exit lets the other threads go first too, and so does _exit (quick_ok.c).
// expect: race glob @thread-@main confirmed
// expect: status 5
#include <pthread.h>
#include <stdlib.h>

int glob;

void* work(void* unused) {
  glob++;  // @thread
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  glob++;  // @main
  quick_exit(5);
}
