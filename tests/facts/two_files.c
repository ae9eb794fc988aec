// The globals of all files, one of them local to another file under the same name.
// more: parts/second_file.c
// unshared: global mine
// shared: global theirs
// no unknown
#include <pthread.h>
#include <stdio.h>

static volatile int mine;
extern int theirs;
void *second(void *);

int main(void) {
  pthread_t thread;
  mine = 1;
  pthread_create(&thread, NULL, second, NULL);
  theirs++;
  pthread_join(thread, NULL);
  printf("%d %d\n", mine, theirs);
  return 0;
}
