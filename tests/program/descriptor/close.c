// One thread closes the descriptor that the other is about to write to.
// expect: memory * @write-@close confirmed
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

int file;

void* log_it(void* unused) {
  char text[] = "x";
  return write(file, text, 1) == 1 ? unused : NULL;  // @write
}

int main(void) {
  pthread_t logger;
  file = open("/dev/null", O_WRONLY);
  pthread_create(&logger, NULL, log_it, NULL);
  close(file);  // @close
  pthread_join(logger, NULL);
}
