#include <pthread.h>
#include <stddef.h>

extern int visible;
static void *touch(void *argument) {
  visible = 5;
  return argument;
}
void start_somewhere(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, touch, NULL);
  pthread_join(thread, NULL);
}
