// Tasks in the order of their dependences.
// flags: -fopenmp
// expect: none
// output: 6
#include <stdio.h>

int x, left, right, result;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(in : x) depend(out : left)
    left = x + 1;
#pragma omp task depend(in : x) depend(out : right)
    right = x + 3;
#pragma omp task depend(in : left, right) depend(inout : x)
    x = 0, result = left + right;
  }
  printf("%d\n", result);
  return 0;
}
