// One of two places that count is not in the critical section.
// flags: -fopenmp
// expect: race hits @in-@out confirmed
// output: 2
#include <stdio.h>

int hits;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      hits++;  // @in
    }
#pragma omp section
    hits++;  // @out
  }
  printf("%d\n", hits);
  return 0;
}
