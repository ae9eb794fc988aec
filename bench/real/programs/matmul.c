// SPDX-License-Identifier: Apache-2.0
// A matrix product, sums and a histogram with OpenMP: parallel loops, reductions, a critical section, and a
// sum over a tree of tasks.
//
// usage: matmul SIZE REPETITIONS
// flags: -fopenmp
// test: 12 1
// x1: 80 2
// x10: 256 2
// x100: 640 5
// races: none
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
static int n, reps;
static double *a, *b, *c;
static long sum_tree(const double* v, int from, int to) {
  if (to - from < 2048) {
    long s = 0;
    for (int i = from; i < to; i++) s += (long)v[i] % 7;
    return s;
  }
  long l = 0, r = 0;
  int mid = (from + to) / 2;
#pragma omp task shared(l)
  l = sum_tree(v, from, mid);
#pragma omp task shared(r)
  r = sum_tree(v, mid, to);
#pragma omp taskwait
  return l + r;
}
int main(int argc, char** argv) {
  n = atoi(argv[1]);
  reps = atoi(argv[2]);
  omp_set_num_threads(2);
  a = malloc(sizeof *a * n * n);
  b = malloc(sizeof *b * n * n);
  c = calloc(n * n, sizeof *c);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i * n + j] = (i * 3 + j) % 11;
      b[i * n + j] = (i + j * 5) % 13;
    }
  double check = 0;
  long hist[16] = {0};
  long total = 0;
  for (int r = 0; r < reps; r++) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) {
        double x = a[i * n + k];
        for (int j = 0; j < n; j++) c[i * n + j] += x * b[k * n + j];
      }
#pragma omp parallel for reduction(+ : check)
    for (int i = 0; i < n * n; i++) check += c[i];
#pragma omp parallel
    {
      long mine[16] = {0};
#pragma omp for nowait
      for (int i = 0; i < n * n; i++) mine[(long)c[i] & 15]++;
#pragma omp critical
      for (int i = 0; i < 16; i++) hist[i] += mine[i];
    }
#pragma omp parallel
#pragma omp single
    total += sum_tree(c, 0, n * n);
  }
  for (int i = 0; i < 16; i++) total += hist[i] * i;
  printf("%.0f %ld\n", check, total);
}
