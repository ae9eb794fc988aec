// Children with a memory of their own, made by clone, _Fork and the system call itself: none of
// them writes to the parent's recording.
// expect: none
// output: parent 3
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int count;

int child(void* amount) {
  for (int i = 0; i < *(int*)amount; i++) count++;
  return 0;
}

int main(void) {
  int amount = 1000, ended = 0;
  char* stack = malloc(1 << 16);
  if (clone(child, stack + (1 << 16), SIGCHLD, &amount) < 0) return 1;
  if (_Fork() == 0) _exit(child(&amount));
  if (syscall(SYS_fork) == 0) _exit(child(&amount));
  while (wait(NULL) > 0) ended++;
  printf("parent %d\n", ended + count);
}
