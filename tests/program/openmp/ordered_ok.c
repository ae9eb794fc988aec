// Ordered sections of a loop, and iterations that wait for the one before.
// flags: -fopenmp
// expect: none
// output: 5 15
#include <stdio.h>

int last, sums[6];

int main(void) {
#pragma omp parallel for ordered num_threads(2) schedule(static, 1)
  for (int i = 0; i < 6; i++) {
#pragma omp ordered
    last = i;
  }
#pragma omp parallel for ordered(1) num_threads(2) schedule(static, 1)
  for (int i = 1; i < 6; i++) {
#pragma omp ordered depend(sink : i - 1)
    sums[i] = sums[i - 1] + i;
#pragma omp ordered depend(source)
  }
  printf("%d %d\n", last, sums[5]);
  return 0;
}
