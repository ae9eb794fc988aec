// A signal arrives while its thread waits at a barrier; the handler takes steps.
// expect: none
// output: 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

pthread_barrier_t b;
int hits;

void handler(int number) {
  (void)number;
  hits++;
}

void* work(void* unused) {
  pthread_barrier_wait(&b);
  return unused;
}

int main(void) {
  pthread_t worker;
  signal(SIGUSR1, handler);
  pthread_barrier_init(&b, NULL, 2);
  pthread_create(&worker, NULL, work, NULL);
  sleep(1);
  pthread_kill(worker, SIGUSR1);
  sleep(1);
  pthread_barrier_wait(&b);
  pthread_join(worker, NULL);
  printf("%d\n", hits);
}
