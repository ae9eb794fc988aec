// output: 1 0
// records: SemaphorePost SemaphoreWait
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t *semaphore;

static void *post(void *unused) {
  sem_post(semaphore);
  return unused;
}

int main() {
  char name[64];
  snprintf(name, sizeof name, "/foretell-test-%d", (int)getpid());
  semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
  sem_t *again = sem_open(name, 0);
  printf("%d ", again == semaphore);
  pthread_t thread;
  pthread_create(&thread, NULL, post, NULL);
  sem_wait(semaphore);
  sem_wait(semaphore);
  pthread_join(thread, NULL);
  int value;
  sem_getvalue(semaphore, &value);
  printf("%d\n", value);
  sem_close(semaphore);
  sem_close(again);
  sem_unlink(name);
}
