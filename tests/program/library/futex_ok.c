// A library that was not instrumented has an event of an atomic and a futex.
// library: -DLIBRARY
// expect: none
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

void event_wait(void);
void event_set(void);

#ifdef LIBRARY
static atomic_int word;

void event_wait(void) {
  while (!atomic_load(&word)) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

void event_set(void) {
  atomic_store(&word, 1);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
#else
int data;

void* work(void* unused) {
  data = 1;
  event_set();
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  event_wait();
  printf("%d\n", data);
  pthread_join(worker, NULL);
}
#endif
