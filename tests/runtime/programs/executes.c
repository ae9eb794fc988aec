// A failed exec changes nothing; one that succeeds ends this program and its recording.
// output: -1 2 echoed
// state: replaced
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
int main() {
  char *arguments[] = {"none", NULL};
  int result = execv("/nowhere/none", arguments);
  printf("%d %d ", result, errno);
  fflush(stdout);
  execlp("echo", "echo", "echoed", (char *)NULL);
}
