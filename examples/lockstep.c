/* Threads in lock step, as in a dense factorization: rounds of work between barriers, as many as the
   input says. foretell schedules finds two epochs with three schedules in all (docs/covering-schedules.md). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4

static pthread_barrier_t together;
static int rounds, size;
static double cells[64];

static void work(int self) {
  pthread_barrier_wait(&together);
  for (int k = 0; k < rounds; k++) {
    for (int i = self; i < size; i += THREADS) cells[i] = cells[i] / (k + 2) + i;
    pthread_barrier_wait(&together);
    if (k % THREADS == self)
      for (int i = 1; i < size; i++) cells[i] += cells[i - 1];
    pthread_barrier_wait(&together);
  }
}

static void *run(void *number) {
  work((int)(long)number);
  return 0;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  if (argc != 3) return 1;
  rounds = atoi(argv[1]);
  size = atoi(argv[2]);
  if (rounds < 1) return 1;
  if (size < 1) return 1;
  if (size > 64) return 1;
  pthread_barrier_init(&together, 0, THREADS);
  for (int i = 1; i < THREADS; i++) pthread_create(&threads[i], 0, run, (void *)(long)i);
  work(0);
  for (int i = 1; i < THREADS; i++) pthread_join(threads[i], 0);
  printf("%f\n", cells[size - 1]);
  return 0;
}
