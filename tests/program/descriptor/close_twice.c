// Two threads close the same descriptor: the second may close what somebody else has opened.
// expect: memory * @close-@close confirmed
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

int file;

void* give_up(void* unused) {
  close(file);  // @close
  return unused;
}

int main(void) {
  pthread_t one, two;
  file = open("/dev/null", O_WRONLY);
  pthread_create(&one, NULL, give_up, NULL);
  pthread_create(&two, NULL, give_up, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}
