// LU factorization with partial pivoting, in the manner of the Java Grande benchmark: for each column, threads eliminate
// rows dealt out to them, and are joined before the next column.
//
// True verdict: deterministic. Within a column each row has one writer, and the pivot row is only read.
// foretell: possibly nondeterministic (rows are dealt out by stride, which is not followed)
#include <pthread.h>
#include <stdio.h>

enum { kSize = 16, kThreads = 2 };
double a[kSize][kSize], b[kSize];
int column, pivot_rows[kSize];

void find_pivot(void) {
  int best = column;
  for (int i = column; i < kSize; i++) {
    double x = a[i][column] < 0 ? -a[i][column] : a[i][column];
    double y = a[best][column] < 0 ? -a[best][column] : a[best][column];
    if (x > y) best = i;
  }
  pivot_rows[column] = best;
  for (int j = 0; j < kSize; j++) {
    double kept = a[best][j];
    a[best][j] = a[column][j];
    a[column][j] = kept;
  }
  double kept = b[best];
  b[best] = b[column];
  b[column] = kept;
}

void *eliminate(void *argument) {
  int self = (int)(long)argument;
  for (int i = column + 1 + self; i < kSize; i += kThreads) {
    double factor = a[i][column] / a[column][column];
    for (int j = column; j < kSize; j++) a[i][j] -= factor * a[column][j];
    b[i] -= factor * b[column];
  }
  return 0;
}

int main(void) {
  for (int i = 0; i < kSize; i++) {
    b[i] = i;
    for (int j = 0; j < kSize; j++) a[i][j] = (i * 31 + j * 17) % 13 + (i == j) * 20;
  }
  for (column = 0; column < kSize - 1; column++) {
    find_pivot();
    pthread_t threads[kThreads];
    for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], 0, eliminate, (void *)i);
    for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
  }
  for (int i = kSize - 1; i >= 0; i--) {
    for (int j = i + 1; j < kSize; j++) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
  printf("%.9f %.9f\n", b[0], b[kSize - 1]);
  return 0;
}
