// Six threads meet in pairs, whoever comes, then all at once; each meeting has one serial thread.
// output: 3 1
// count: BarrierEnter 12
// count: BarrierExit 12
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t pairs, all;
static int serial_pairs, serial_all;

static void *meet(void *unused) {
  if (pthread_barrier_wait(&pairs) == PTHREAD_BARRIER_SERIAL_THREAD) {
    __atomic_add_fetch(&serial_pairs, 1, __ATOMIC_RELAXED);
  }
  if (pthread_barrier_wait(&all) == PTHREAD_BARRIER_SERIAL_THREAD) serial_all++;
  return unused;
}

int main() {
  pthread_barrier_init(&pairs, NULL, 2);
  pthread_barrier_init(&all, NULL, 6);
  pthread_t threads[6];
  for (int i = 0; i < 6; i++) pthread_create(&threads[i], NULL, meet, NULL);
  for (int i = 0; i < 6; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&pairs);
  pthread_barrier_destroy(&all);
  printf("%d %d\n", serial_pairs, serial_all);
}
