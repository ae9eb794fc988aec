// flock excludes threads that opened the file each for themselves.
// expect: none
// output: done
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

char path[] = "lockXXXXXX";
int data;

void* work(void* unused) {
  const int file = open(path, O_RDWR);
  for (int i = 0; i < 3; i++) {
    flock(file, LOCK_EX);
    data++;
    flock(file, LOCK_UN);
  }
  close(file);
  return unused;
}

int main(void) {
  pthread_t a, b;
  close(mkstemp(path));
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  unlink(path);
  puts(data == 6 ? "done" : "lost");
}
