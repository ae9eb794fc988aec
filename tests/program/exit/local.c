// The thread uses a variable of main, which has returned.
// expect: race value @main-@thread confirmed
#include <pthread.h>

void* work(void* value) {
  ++*(int*)value;  // @thread
  return NULL;
}

int main(void) {
  int value = 0;
  pthread_t worker;
  pthread_create(&worker, NULL, work, &value);
  value++;  // @main
  return 0;
}
