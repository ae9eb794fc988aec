// A sum of a parallel loop without a reduction.
// flags: -fopenmp
// expect: race sum @add-@add confirmed
// output: 3
#include <stdio.h>

int sum;

int main(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 3; i++) sum += i;  // @add
  printf("%d\n", sum);
  return 0;
}
