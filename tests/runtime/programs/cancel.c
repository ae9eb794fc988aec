// Cancelled while it waits for a condition: the handler finds the mutex locked.
// output: cleanup 1 1
// records: WaitBegin WaitEnd Release
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waits;

static void unlock(void *unused) {
  (void)unused;
  printf("cleanup %d ", pthread_mutex_trylock(&mutex) == EBUSY);
  pthread_mutex_unlock(&mutex);
}

static void *wait(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  waits = 1;
  pthread_cond_signal(&condition);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

int main() {
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, wait, NULL);
  while (!waits) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_cancel(thread);
  void *result;
  pthread_join(thread, &result);
  pthread_mutex_lock(&mutex);
  printf("%d\n", result == PTHREAD_CANCELED);
}
