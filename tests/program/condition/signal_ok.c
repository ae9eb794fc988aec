// A signal arrives while its thread waits on a condition; the handler takes steps.
// expect: none
// output: 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int run = 1, hits;

void handler(int number) {
  (void)number;
  hits++;
}

void* work(void* unused) {
  pthread_mutex_lock(&m);
  while (run) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t worker;
  signal(SIGUSR1, handler);
  pthread_create(&worker, NULL, work, NULL);
  sleep(1);
  pthread_kill(worker, SIGUSR1);
  sleep(1);
  pthread_mutex_lock(&m);
  run = 0;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  pthread_join(worker, NULL);
  printf("%d\n", hits);
}
