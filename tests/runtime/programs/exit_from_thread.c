// exit from a thread runs the handlers there.
// output: handler
// status: 9
// status native: 9
// header: status=9
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void handler() { printf("handler\n"); }
static void *leave(void *unused) {
  (void)unused;
  exit(9);
}
int main() {
  atexit(handler);
  pthread_t thread;
  pthread_create(&thread, NULL, leave, NULL);
  pthread_join(thread, NULL);
}
