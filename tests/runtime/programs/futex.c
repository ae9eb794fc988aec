// output: -1 11 -1 110 -1 110 0 1
// header controlled: uncontrolled=0
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t word, go;

static void *wait(void *unused) {
  __atomic_store_n(&go, 1, __ATOMIC_SEQ_CST);
  long result = 0;
  while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0) {
    result = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  }
  if (result != 0 && errno != EAGAIN) printf("wrong ");
  return unused;
}

int main() {
  long result = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
  printf("%ld %d ", result, errno);
  struct timespec time = {0, 1000};
  result = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
  printf("%ld %d ", result, errno);
  clock_gettime(CLOCK_REALTIME, &time);
  result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, &time, NULL, FUTEX_BITSET_MATCH_ANY);
  printf("%ld %d ", result, errno);
  printf("%ld ", syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
  pthread_t thread;
  pthread_create(&thread, NULL, wait, NULL);
  while (!__atomic_load_n(&go, __ATOMIC_SEQ_CST)) sched_yield();
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  pthread_join(thread, NULL);
  printf("%d\n", syscall(SYS_getpid) == getpid());
}
