// Successive over-relaxation of a grid, in the manner of the Java Grande benchmark: red and black points, rows dealt
// out to threads, a barrier after each half of a sweep.
//
// True verdict: deterministic. A point is computed from its four neighbors, which have the other color, and the
// barrier keeps the colors apart.
// foretell: possibly nondeterministic (barriers, and rows dealt out by ranges)
#include <pthread.h>
#include <stdio.h>

enum { kSize = 18, kThreads = 2, kSweeps = 10 };
double grid[kSize][kSize];
pthread_barrier_t barrier;

void relax(int from, int to, int color) {
  for (int i = from; i < to; i++)
    for (int j = 1 + (i + color) % 2; j < kSize - 1; j += 2) {
      double around = grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1];
      grid[i][j] += 1.25 * (around / 4 - grid[i][j]);
    }
}

void *work(void *argument) {
  int self = (int)(long)argument, rows = (kSize - 2) / kThreads;
  for (int sweep = 0; sweep < kSweeps; sweep++)
    for (int color = 0; color < 2; color++) {
      relax(1 + self * rows, 1 + (self + 1) * rows, color);
      pthread_barrier_wait(&barrier);
    }
  return 0;
}

int main(void) {
  for (int i = 0; i < kSize; i++) grid[i][0] = grid[0][i] = i;
  pthread_t threads[kThreads];
  pthread_barrier_init(&barrier, 0, kThreads);
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
  double sum = 0;
  for (int i = 0; i < kSize; i++)
    for (int j = 0; j < kSize; j++) sum += grid[i][j];
  printf("%.9f\n", sum);
  return 0;
}
