// A sum over threads without a reduction.
// flags: -fopenmp
// expect: race sum @add-@add confirmed
// output: 3
#include <omp.h>
#include <stdio.h>

int sum;

int main(void) {
#pragma omp parallel num_threads(2)
  sum += 1 + omp_get_thread_num();  // @add
  printf("%d\n", sum);
  return 0;
}
