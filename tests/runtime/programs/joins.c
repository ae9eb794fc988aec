// output: 16 110 0 7 0 0 8 35
// records: Join ThreadName
// count: Join 2
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t go;

static void *wait(void *result) {
  sem_wait(&go);
  return result;
}

static void *leave(void *result) {
  pthread_exit(result);
}

int main() {
  sem_init(&go, 0, 0);
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, wait, (void *)7);
  pthread_setname_np(thread, "worker");
  printf("%d ", pthread_tryjoin_np(thread, &result));
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  printf("%d ", pthread_timedjoin_np(thread, &result, &until));
  sem_post(&go);
  printf("%d ", pthread_clockjoin_np(thread, &result, CLOCK_REALTIME, NULL));
  printf("%d ", (int)(long)result);
  printf("%d ", pthread_create(&thread, NULL, leave, (void *)8));
  printf("%d ", pthread_join(thread, &result));
  printf("%d ", (int)(long)result);
  printf("%d\n", pthread_join(pthread_self(), NULL));
}
