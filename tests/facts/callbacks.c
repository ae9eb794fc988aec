// Functions that are called by somebody else: through pointers, by the library, at exit, by a
// signal.
// unshared: global sorted
// unshared: global at_end
// shared: global by_signal
// shared: global through_pointer
// unknown: external function signal
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int sorted[4] = {3, 1, 2, 0};
int comparisons, at_end, by_signal, through_pointer;

static int compare(const void *a, const void *b) {
  comparisons++;
  return *(const int *)a - *(const int *)b;
}
static void on_signal(int number) { by_signal = number; }
static void bump(void) { through_pointer++; }
static void skip(void) {}
static void (*volatile actions[2])(void) = {bump, skip};

static void *work(void *argument) {
  actions[0]();
  return argument;
}

int main(int count, char **arguments) {
  (void)arguments;
  signal(SIGUSR1, on_signal);
  at_end = 1;
  qsort(sorted, 4, sizeof *sorted, compare);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  raise(SIGUSR1);
  pthread_join(thread, NULL);
  actions[count > 0 ? 0 : 1]();
  printf("%d %d %d %d %d\n", sorted[0], comparisons, at_end, by_signal, through_pointer);
  return 0;
}
