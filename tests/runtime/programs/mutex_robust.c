// A robust mutex whose owner ends tells the next one, whether it waits already or not.
// output: 130 0 0 131
// records: Release
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;
static pthread_mutex_t second;

static void *die_holding(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&second);
  return unused;
}

static int result, unrecoverable;
static pthread_barrier_t start;

static void *wait_for_it(void *unused) {
  pthread_barrier_wait(&start);
  result = pthread_mutex_lock(&mutex);
  return unused;
}

int main() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutex_init(&second, &attributes);
  pthread_barrier_init(&start, NULL, 2);
  pthread_t dying, waiting;
  pthread_create(&dying, NULL, die_holding, NULL);
  pthread_join(dying, NULL);
  printf("%d ", pthread_mutex_lock(&mutex));
  printf("%d ", pthread_mutex_consistent(&mutex));
  pthread_create(&waiting, NULL, wait_for_it, NULL);
  pthread_barrier_wait(&start);
  pthread_mutex_unlock(&mutex);
  pthread_join(waiting, NULL);
  printf("%d ", result);
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  printf("%d\n", pthread_mutex_lock(&second));
}
