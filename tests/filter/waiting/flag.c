// Waits in a loop that reads the same value until another thread writes another one.
// reads: flag 1
// may read: flag 0; flag 1
#include <pthread.h>

int flag;

static void* set(void* unused) {
  flag = 1;
  return unused;
}

int main(void) {
  pthread_t setter;
  pthread_create(&setter, NULL, set, NULL);
  while (!flag) {
  }
  pthread_join(setter, NULL);
}
