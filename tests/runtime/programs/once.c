// output: 1 1
// records: AtomicRead AtomicWrite
#include <pthread.h>
#include <stdio.h>
#include <threads.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ran, ran_flag;

static void slow() {
  for (int i = 0; i < 10; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  ran++;
}
static void flagged() { ran_flag++; }

static void *run(void *unused) {
  pthread_once(&control, slow);
  call_once(&flag, flagged);
  if (ran != 1 || ran_flag != 1) printf("too early\n");
  return unused;
}

int main() {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  printf("%d %d\n", ran, ran_flag);
}
