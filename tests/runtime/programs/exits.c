// _exit from a thread ends all, with its status.
// status: 7
// status native: 7
// header: status=7
#include <pthread.h>
#include <unistd.h>
static void *leave(void *unused) {
  (void)unused;
  _exit(7);
}
int main() {
  pthread_t thread;
  pthread_create(&thread, NULL, leave, NULL);
  pthread_join(thread, NULL);
}
