// sor: successive over-relaxation on a grid, red and black points in turn. Threads own bands of
// rows; a thread goes on when its neighbors have finished the phase before, which they say in
// atomic counters. (The Java Grande program does the same with a volatile array.)
//
// usage: sor [SIZE [THREADS [ITERATIONS]]]
// test: 8 2 2
// speed: 200 4 20
//
// Self-check: the grid is exactly the one that one thread computes.
//
// No bugs: tools must be silent.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostThreads = 16, kMostSize = 512 };

static int size, threads, iterations;
static double grid[kMostSize][kMostSize];
// The number of phases a thread has finished; places 0 and threads + 1 are the borders.
static _Atomic int finished[kMostThreads + 2];

static void wait_for(int thread, int phase) {
  while (atomic_load_explicit(&finished[thread], memory_order_acquire) < phase) sched_yield();
}

static void relax_row(int row, int color) {
  const double omega = 1.25;
  for (int column = 1 + (row + color) % 2; column < size - 1; column += 2) {
    const double around = grid[row - 1][column] + grid[row + 1][column] + grid[row][column - 1] +
                          grid[row][column + 1];
    grid[row][column] = omega / 4 * around + (1 - omega) * grid[row][column];
  }
}

static void* relax(void* argument) {
  const int me = (int)(long)argument;  // from 1
  const int rows = size - 2;
  const int first = 1 + rows * (me - 1) / threads, end = 1 + rows * me / threads;
  for (int phase = 0; phase < 2 * iterations; phase++) {
    wait_for(me - 1, phase);
    wait_for(me + 1, phase);
    for (int row = first; row < end; row++) relax_row(row, phase % 2);
    atomic_store_explicit(&finished[me], phase + 1, memory_order_release);
  }
  return NULL;
}

static double solve(int with_threads) {
  threads = with_threads;
  unsigned random = 3;
  for (int row = 0; row < size; row++) {
    for (int column = 0; column < size; column++) {
      random = random * 1103515245u + 12345u;
      grid[row][column] = (random >> 16) % 1000 / 1000.0;
    }
  }
  for (int i = 1; i <= threads; i++) atomic_store(&finished[i], 0);
  atomic_store(&finished[0], 2 * iterations);
  atomic_store(&finished[threads + 1], 2 * iterations);

  pthread_t all[kMostThreads];
  for (long i = 0; i < threads; i++) pthread_create(&all[i], NULL, relax, (void*)(i + 1));
  for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);

  double sum = 0;
  for (int row = 1; row < size - 1; row++) {
    for (int column = 1; column < size - 1; column++) sum += grid[row][column];
  }
  return sum;
}

int main(int argc, char** argv) {
  size = argc > 1 ? atoi(argv[1]) : 64;
  const int wanted = argc > 2 ? atoi(argv[2]) : 4;
  iterations = argc > 3 ? atoi(argv[3]) : 10;
  if (size < 3 || size > kMostSize || wanted < 1 || wanted > kMostThreads) return 2;

  const double sum = solve(wanted);
  printf("sor: %d x %d, sum %.9f\n", size, size, sum);
  return sum == solve(1) ? 0 : 1;
}
