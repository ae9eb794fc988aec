// output: 40 -1 11 -1 110 -1 22 2
// records: SemaphorePost SemaphoreWait
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t full, empty;
static int items, taken;

static void *produce(void *unused) {
  for (int i = 0; i < 20; i++) {
    sem_wait(&empty);
    __atomic_add_fetch(&items, 1, __ATOMIC_SEQ_CST);
    sem_post(&full);
  }
  return unused;
}

static void *consume(void *unused) {
  for (int i = 0; i < 20; i++) {
    sem_wait(&full);
    __atomic_sub_fetch(&items, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&taken, 1, __ATOMIC_SEQ_CST);
    sem_post(&empty);
  }
  return unused;
}

int main() {
  sem_init(&full, 0, 0);
  sem_init(&empty, 0, 2);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, i % 2 ? produce : consume, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  printf("%d ", taken);
  int result = sem_trywait(&full);
  printf("%d %d ", result, errno);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  result = sem_timedwait(&full, &until);
  printf("%d %d ", result, errno);
  struct timespec bad = {0, -1};
  result = sem_timedwait(&full, &bad);
  printf("%d %d ", result, errno);
  int value;
  sem_getvalue(&empty, &value);
  printf("%d\n", value);
}
