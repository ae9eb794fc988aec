// SPDX-License-Identifier: Apache-2.0
// Blocked LU factorization of a dense matrix. Blocks belong to threads in a checkerboard; a barrier
// follows each phase, so that no two threads ever touch a block at once.
//
// usage: lu DIMENSION
// test: 32
// x1: 432
// x10: 928
// x100: 2000
// races: none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 2, kBlock = 16 };

static int dimension, blocks;
static double* matrix;
static pthread_barrier_t barrier;

static double* block_at(int row, int column) {
  return matrix + ((size_t)row * (size_t)blocks + (size_t)column) * kBlock * kBlock;
}

static int owner(int row, int column) {
  return (row + column) % kThreads;
}

static void factor_diagonal(double* a) {
  for (int k = 0; k < kBlock; k++) {
    for (int i = k + 1; i < kBlock; i++) {
      a[i * kBlock + k] /= a[k * kBlock + k];
      for (int j = k + 1; j < kBlock; j++) a[i * kBlock + j] -= a[i * kBlock + k] * a[k * kBlock + j];
    }
  }
}

static void solve_row(double* a, const double* diagonal) {
  for (int k = 0; k < kBlock; k++) {
    for (int i = k + 1; i < kBlock; i++) {
      for (int j = 0; j < kBlock; j++) a[i * kBlock + j] -= diagonal[i * kBlock + k] * a[k * kBlock + j];
    }
  }
}

static void solve_column(double* a, const double* diagonal) {
  for (int k = 0; k < kBlock; k++) {
    for (int i = 0; i < kBlock; i++) {
      a[i * kBlock + k] /= diagonal[k * kBlock + k];
      for (int j = k + 1; j < kBlock; j++) a[i * kBlock + j] -= a[i * kBlock + k] * diagonal[k * kBlock + j];
    }
  }
}

static void update(double* a, const double* left, const double* up) {
  for (int i = 0; i < kBlock; i++) {
    for (int k = 0; k < kBlock; k++) {
      for (int j = 0; j < kBlock; j++) a[i * kBlock + j] -= left[i * kBlock + k] * up[k * kBlock + j];
    }
  }
}

static void* factor(void* argument) {
  const int self = (int)(size_t)argument;
  for (int k = 0; k < blocks; k++) {
    if (owner(k, k) == self) factor_diagonal(block_at(k, k));
    pthread_barrier_wait(&barrier);
    for (int i = k + 1; i < blocks; i++) {
      if (owner(k, i) == self) solve_row(block_at(k, i), block_at(k, k));
      if (owner(i, k) == self) solve_column(block_at(i, k), block_at(k, k));
    }
    pthread_barrier_wait(&barrier);
    for (int i = k + 1; i < blocks; i++) {
      for (int j = k + 1; j < blocks; j++) {
        if (owner(i, j) == self) update(block_at(i, j), block_at(i, k), block_at(k, j));
      }
    }
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(int argc, char** argv) {
  dimension = argc > 1 ? atoi(argv[1]) : 16;
  blocks = (dimension + kBlock - 1) / kBlock;
  const size_t count = (size_t)blocks * (size_t)blocks * kBlock * kBlock;
  matrix = malloc(count * sizeof(double));
  for (size_t i = 0; i < count; i++) matrix[i] = (double)(i * 2654435761u % 1000) / 1000;
  for (int i = 0; i < blocks; i++) {
    for (int k = 0; k < kBlock; k++) block_at(i, i)[k * kBlock + k] += dimension;
  }
  pthread_barrier_init(&barrier, NULL, kThreads);
  pthread_t other;
  pthread_create(&other, NULL, factor, (void*)1);
  factor(NULL);
  pthread_join(other, NULL);
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += matrix[i];
  printf("%.6f\n", sum);
  free(matrix);
  return 0;
}
