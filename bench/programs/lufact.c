// lufact: LU factorization with partial pivoting, then the solution of a system of equations. For
// every column thread 0 finds the pivot and swaps rows while the others wait at a barrier; then all
// eliminate below it, each its own rows.
//
// usage: lufact [SIZE [THREADS]]
// test: 8 2
// speed: 200 4
//
// Self-check: the right-hand side is that of a solution of ones; ones must come out.
//
// No bugs: tools must be silent.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostThreads = 16, kMostSize = 512 };

static int size, threads;
static double matrix[kMostSize][kMostSize + 1];  // the last column is the right-hand side
static pthread_barrier_t turn;

static void swap_pivot(int column) {
  int pivot = column;
  for (int row = column + 1; row < size; row++) {
    if (fabs(matrix[row][column]) > fabs(matrix[pivot][column])) pivot = row;
  }
  if (pivot == column) return;
  for (int k = column; k <= size; k++) {
    const double kept = matrix[column][k];
    matrix[column][k] = matrix[pivot][k];
    matrix[pivot][k] = kept;
  }
}

static void eliminate(int row, int column) {
  const double factor = matrix[row][column] / matrix[column][column];
  for (int k = column; k <= size; k++) matrix[row][k] -= factor * matrix[column][k];
}

static void* factorize(void* argument) {
  const int me = (int)(long)argument;
  for (int column = 0; column < size; column++) {
    if (me == 0) swap_pivot(column);
    pthread_barrier_wait(&turn);
    for (int row = column + 1 + me; row < size; row += threads) eliminate(row, column);
    pthread_barrier_wait(&turn);
  }
  return NULL;
}

// The greatest distance of a component of the solution from 1.
static double solve_and_compare(void) {
  static double solution[kMostSize];
  double error = 0;
  for (int row = size - 1; row >= 0; row--) {
    double rest = matrix[row][size];
    for (int k = row + 1; k < size; k++) rest -= matrix[row][k] * solution[k];
    solution[row] = rest / matrix[row][row];
    error = fmax(error, fabs(solution[row] - 1));
  }
  return error;
}

int main(int argc, char** argv) {
  size = argc > 1 ? atoi(argv[1]) : 64;
  threads = argc > 2 ? atoi(argv[2]) : 4;
  if (size < 1 || size > kMostSize || threads < 1 || threads > kMostThreads) return 2;

  unsigned random = 17;
  for (int row = 0; row < size; row++) {
    matrix[row][size] = 0;
    for (int k = 0; k < size; k++) {
      random = random * 1103515245u + 12345u;
      matrix[row][k] = (random >> 16) % 2000 / 1000.0 - 1;
      matrix[row][size] += matrix[row][k];
    }
  }
  pthread_barrier_init(&turn, NULL, (unsigned)threads);
  pthread_t all[kMostThreads];
  for (long i = 0; i < threads; i++) pthread_create(&all[i], NULL, factorize, (void*)i);
  for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);

  const int good = solve_and_compare() < 1e-8;
  printf("lufact: %d equations, %s\n", size, good ? "solved" : "not solved");
  return good ? 0 : 1;
}
