// sparse: multiplies a sparse matrix with a vector, again and again, y += A x. The nonzero elements
// are sorted by row, and each thread owns the rows whose elements it has, so that no two threads
// write one place of y; a barrier separates the multiplications.
//
// usage: sparse [SIZE [THREADS [ITERATIONS]]]
// test: 20 2 2
// speed: 2000 4 60
//
// Self-check: the sum of y is exactly the one that one thread computes.
//
// No bugs: tools must be silent.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostThreads = 16, kPerRow = 5 };

struct Element {
  int row, column;
  double value;
};

static int size, threads, iterations;
static struct Element* elements;
static double *x, *y;
static pthread_barrier_t turn;

static void* multiply(void* argument) {
  const int me = (int)(long)argument;
  const int begin = size * me / threads * kPerRow, end = size * (me + 1) / threads * kPerRow;
  for (int i = 0; i < iterations; i++) {
    for (int k = begin; k < end; k++)
      y[elements[k].row] += x[elements[k].column] * elements[k].value;
    pthread_barrier_wait(&turn);
    // The next multiplication starts from what this one gave; again each thread its own rows.
    for (int row = size * me / threads; row < size * (me + 1) / threads; row++)
      x[row] = 1 / (1 + y[row]);
    pthread_barrier_wait(&turn);
  }
  return NULL;
}

static double solve(int with_threads) {
  threads = with_threads;
  for (int row = 0; row < size; row++) {
    x[row] = 1 + row % 7;
    y[row] = 0;
  }
  pthread_barrier_init(&turn, NULL, (unsigned)threads);
  pthread_t all[kMostThreads];
  for (long i = 0; i < threads; i++) pthread_create(&all[i], NULL, multiply, (void*)i);
  for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);
  pthread_barrier_destroy(&turn);
  double sum = 0;
  for (int row = 0; row < size; row++) sum += y[row];
  return sum;
}

int main(int argc, char** argv) {
  size = argc > 1 ? atoi(argv[1]) : 500;
  const int wanted = argc > 2 ? atoi(argv[2]) : 4;
  iterations = argc > 3 ? atoi(argv[3]) : 20;
  if (size < 1 || wanted < 1 || wanted > kMostThreads) return 2;

  elements = malloc((size_t)(size * kPerRow) * sizeof *elements);
  x = malloc((size_t)size * sizeof *x);
  y = malloc((size_t)size * sizeof *y);
  unsigned random = 5;
  for (int k = 0; k < size * kPerRow; k++) {
    random = random * 1103515245u + 12345u;
    elements[k] =
        (struct Element){k / kPerRow, (int)(random >> 16) % size, (random >> 8) % 100 / 100.0};
  }
  const double sum = solve(wanted);
  printf("sparse: %d rows, sum %.9f\n", size, sum);
  const int good = sum == solve(1);
  free(elements);
  free(x);
  free(y);
  return good ? 0 : 1;
}
