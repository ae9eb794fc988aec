// output: 16 16 110 35 35 22 0 ok
// records: RequestShared AcquireShared ReleaseShared Acquire Release TryFail TryFailShared
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int a, b, wrong;

static void *reader(void *unused) {
  for (int i = 0; i < 50; i++) {
    pthread_rwlock_rdlock(&lock);
    if (a != b) wrong = 1;
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

static void *writer(void *unused) {
  for (int i = 0; i < 50; i++) {
    pthread_rwlock_wrlock(&lock);
    a++;
    b++;
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

static void *results(void *unused) {
  printf("%d ", pthread_rwlock_trywrlock(&lock));
  printf("%d ", pthread_rwlock_tryrdlock(&lock));
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  printf("%d ", pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &until));
  return unused;
}

int main() {
  pthread_t threads[4];
  pthread_rwlock_wrlock(&lock);
  pthread_create(&threads[0], NULL, results, NULL);
  pthread_join(threads[0], NULL);
  printf("%d ", pthread_rwlock_wrlock(&lock));
  printf("%d ", pthread_rwlock_rdlock(&lock));
  struct timespec bad = {0, -1};
  printf("%d ", pthread_rwlock_timedrdlock(&lock, &bad));
  printf("%d ", pthread_rwlock_unlock(&lock));
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, i % 2 ? writer : reader, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  printf("%s\n", wrong || a != 100 ? "wrong" : "ok");
}
