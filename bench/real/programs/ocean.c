// SPDX-License-Identifier: Apache-2.0
// Red-black relaxation on a grid, in bands of rows. The barrier is hand-written, a counter under a
// mutex and a condition, as in many old codes; the largest change of each sweep is combined under a mutex.
//
// usage: ocean WIDTH [SWEEPS]
// test: 10 2
// x1: 258 100
// x10: 514 250
// x100: 1026 620
// races: none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 2 };

struct Barrier {
  pthread_mutex_t mutex;
  pthread_cond_t all_here;
  int arrived, generation;
};

static int width, sweeps;
static double* grid;
static struct Barrier barrier = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static pthread_mutex_t change_mutex = PTHREAD_MUTEX_INITIALIZER;
static double change;

static void wait_for_all(void) {
  pthread_mutex_lock(&barrier.mutex);
  const int generation = barrier.generation;
  if (++barrier.arrived == kThreads) {
    barrier.arrived = 0;
    barrier.generation++;
    pthread_cond_broadcast(&barrier.all_here);
  }
  while (generation == barrier.generation) pthread_cond_wait(&barrier.all_here, &barrier.mutex);
  pthread_mutex_unlock(&barrier.mutex);
}

static double relax(int color, int begin, int end) {
  double largest = 0;
  for (int i = begin; i < end; i++) {
    for (int j = 1 + (i + color) % 2; j < width - 1; j += 2) {
      double* const at = grid + (size_t)i * (size_t)width + j;
      const double next = 0.25 * (at[-1] + at[1] + at[-width] + at[width]);
      const double difference = next > *at ? next - *at : *at - next;
      if (difference > largest) largest = difference;
      *at = next;
    }
  }
  return largest;
}

static void* simulate(void* argument) {
  const int self = (int)(size_t)argument, inner = width - 2;
  const int begin = 1 + inner * self / kThreads, end = 1 + inner * (self + 1) / kThreads;
  for (int sweep = 0; sweep < sweeps; sweep++) {
    if (self == 0) change = 0;
    wait_for_all();
    double largest = 0;
    for (int color = 0; color < 2; color++) {
      const double one = relax(color, begin, end);
      if (one > largest) largest = one;
      wait_for_all();
    }
    pthread_mutex_lock(&change_mutex);
    if (largest > change) change = largest;
    pthread_mutex_unlock(&change_mutex);
    wait_for_all();
  }
  return NULL;
}

int main(int argc, char** argv) {
  width = argc > 1 ? atoi(argv[1]) : 10;
  sweeps = argc > 2 ? atoi(argv[2]) : 2;
  grid = calloc((size_t)width * (size_t)width, sizeof(double));
  for (int i = 0; i < width; i++) grid[i] = 1 + i % 7;
  pthread_t other;
  pthread_create(&other, NULL, simulate, (void*)1);
  simulate(NULL);
  pthread_join(other, NULL);
  double sum = 0;
  for (size_t i = 0; i < (size_t)width * (size_t)width; i++) sum += grid[i];
  printf("%.9f %.9f\n", sum, change);
  free(grid);
  return 0;
}
