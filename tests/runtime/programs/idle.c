// Everybody waits for a child longer than the watchdog is patient, with deadlines far away: nobody
// is lost.
// output: answer 1
// modes: controlled
// runs: 1
// header: watchdog=0
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int slept;
static void *sleeper(void *argument) {
  sleep(1000);
  slept = 1;
  return argument;
}
int main() {
  FILE *child = popen("sleep 0.7; echo answer", "r");
  pthread_t thread;
  pthread_create(&thread, NULL, sleeper, NULL);
  struct pollfd one = {fileno(child), POLLIN, 0};
  char line[32] = "";
  if (poll(&one, 1, 2000 * 1000) == 1 && read(one.fd, line, sizeof line - 1) == 7) line[6] = ' ';
  pthread_join(thread, NULL);
  printf("%s%d\n", line, slept);
  pclose(child);
}
