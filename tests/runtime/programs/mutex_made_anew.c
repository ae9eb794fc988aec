// A mutex that is initialized again while held belongs to nobody.
// output: 0
// count: Acquire 2
// count: Release 2
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock(void *unused) {
  printf("%d\n", pthread_mutex_lock(&mutex));
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main() {
  pthread_mutex_lock(&mutex);
  pthread_mutex_init(&mutex, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, lock, NULL);
  pthread_join(thread, NULL);
}
