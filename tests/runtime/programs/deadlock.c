// modes: controlled
// status: 66
// state: deadlock
// options: strategy=round-robin
// records: Request Acquire
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *one(void *unused) {
  pthread_mutex_lock(&a);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&b);
  return unused;
}

int main() {
  pthread_barrier_init(&both, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, one, NULL);
  pthread_mutex_lock(&b);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&a);
}
