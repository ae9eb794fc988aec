// Other ways to start a program leave the recording alone.
// output: spawned popen 3 vfork 4
// header: forks=0
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main() {
  fflush(stdout);
  pid_t pid;
  char *arguments[] = {"echo", "spawned", NULL};
  posix_spawnp(&pid, "echo", NULL, NULL, arguments, environ);
  int status;
  waitpid(pid, &status, 0);
  FILE *pipe = popen("echo popen", "r");
  char line[32];
  printf("%s", fgets(line, sizeof line, pipe));
  pclose(pipe);
  printf("%d ", WEXITSTATUS(system("exit 3")));
  pid = vfork();
  if (pid == 0) _exit(4);
  waitpid(pid, &status, 0);
  printf("vfork %d\n", WEXITSTATUS(status));
}
