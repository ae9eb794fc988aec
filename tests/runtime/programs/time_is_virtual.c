// An hour of sleep takes no time, and clocks agree about it.
// output: 3600 3600 3600 1 1 1
// modes: controlled
// header controlled: uncontrolled=0
#include <stdio.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

int main() {
  struct timespec m0, m1, left = {0, 0};
  struct timeval r0, r1;
  clock_gettime(CLOCK_MONOTONIC, &m0);
  gettimeofday(&r0, NULL);
  time_t t0 = time(NULL);
  sleep(1000);
  usleep(600 * 1000000u);
  struct timespec thousand = {1000, 0};
  nanosleep(&thousand, &left);
  thrd_sleep(&thousand, &left);
  clock_gettime(CLOCK_MONOTONIC, &m1);
  gettimeofday(&r1, NULL);
  printf("%d %d %d ", (int)(m1.tv_sec - m0.tv_sec), (int)(r1.tv_sec - r0.tv_sec), (int)(time(NULL) - t0));
  m1.tv_sec += 10;
  printf("%d ", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &m1, NULL) == 0);
  clock_gettime(CLOCK_MONOTONIC, &m0);
  printf("%d ", m0.tv_sec >= m1.tv_sec && m0.tv_sec <= m1.tv_sec + 1);
  struct timespec cpu;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  printf("%d\n", cpu.tv_sec < 60);
}
