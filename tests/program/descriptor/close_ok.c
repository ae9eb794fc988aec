// The twin of close.c: joined first. And the number is given out again, to another thread.
// expect: none
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

void* log_it(void* unused) {
  char text[] = "x";
  int file = open("/dev/null", O_WRONLY);
  ssize_t done = write(file, text, 1);
  close(file);
  return done == 1 ? unused : NULL;
}

int main(void) {
  for (int i = 0; i < 2; i++) {
    pthread_t one, two;
    pthread_create(&one, NULL, log_it, NULL);
    pthread_create(&two, NULL, log_it, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    log_it(NULL);
  }
}
