// A forked process has its own copy of the memory.
// In the parent a thread and main write theirs unprotected.
// expect: race x @thread-@main confirmed
// output: child 3, parent 1
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int x;

void* work(void* unused) {
  x = 1;  // @thread
  return unused;
}

int main(void) {
  const pid_t child = fork();
  if (child == 0) {
    x = 3;
    _exit(x);
  }
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  x = 1;  // @main
  int status;
  waitpid(child, &status, 0);
  pthread_join(worker, NULL);
  printf("child %d, parent %d\n", WEXITSTATUS(status), x);
}
