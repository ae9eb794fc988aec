// output: 200 16
// records: Request Acquire Release TryFail
// header controlled: uncontrolled=0
#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static int counter;

static void *count(void *unused) {
  for (int i = 0; i < 100; i++) {
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
  }
  return unused;
}

static int tried;
static void *try_it(void *unused) {
  tried = pthread_spin_trylock(&lock);
  return unused;
}

int main() {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  pthread_spin_lock(&lock);
  pthread_create(&threads[0], NULL, try_it, NULL);
  pthread_join(threads[0], NULL);
  pthread_spin_unlock(&lock);
  pthread_spin_destroy(&lock);
  printf("%d %d\n", counter, tried);
}
