// Detached threads that never end do not keep the process from ending: one counts, one polls a flag
// that nobody sets, one sleeps again and again, one waits for input that never comes.
// expect: race count @counter-@poller confirmed
// output: done
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

volatile int count, stop;
int ends[2];

void* counter(void* unused) {
  for (;;) count++;  // @counter
  return unused;
}

void* poller(void* unused) {
  count = 0;  // @poller
  while (!stop) {
  }
  return unused;
}

void* sleeper(void* unused) {
  for (;;) sleep(1);
  return unused;
}

void* reader(void* unused) {
  char c;
  if (read(ends[0], &c, 1) == 1) puts("never");
  return unused;
}

int main(void) {
  void* (*const all[])(void*) = {poller, sleeper, reader, counter};
  pthread_t thread;
  if (pipe(ends) != 0) return 1;
  for (int i = 0; i < 4; i++) {
    pthread_create(&thread, NULL, all[i], NULL);
    pthread_detach(thread);
  }
  puts("done");
  return 0;
}
