// The owner of a robust mutex ends while another thread waits for it.
// output: 130
// header controlled: uncontrolled=0
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;
static pthread_barrier_t held;

static void *die_holding(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_barrier_wait(&held);
  for (int i = 0; i < 20; i++) sched_yield();
  return unused;
}

int main() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_barrier_init(&held, NULL, 2);
  pthread_t dying;
  pthread_create(&dying, NULL, die_holding, NULL);
  pthread_barrier_wait(&held);
  printf("%d\n", pthread_mutex_lock(&mutex));
  pthread_join(dying, NULL);
}
