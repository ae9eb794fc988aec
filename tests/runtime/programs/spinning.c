// Loops that wait for another thread by yielding, sleeping or looking at the clock end.
// output: done
// header controlled: watchdog=0
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int flags[4];

static void *set(void *unused) {
  usleep(1000);
  for (int i = 0; i < 4; i++) {
    flags[i] = 1;
    usleep(500);
  }
  return unused;
}

static void *spin(void *unused) {
  while (!flags[3]) sched_yield();
  return unused;
}

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, set, NULL);
  pthread_create(&threads[1], NULL, spin, NULL);
  while (!flags[0]) sched_yield();
  while (!flags[1]) usleep(10);
  struct timespec now;
  while (!flags[2]) clock_gettime(CLOCK_MONOTONIC, &now);
  while (!flags[3]) syscall(SYS_sched_yield);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("done\n");
}
