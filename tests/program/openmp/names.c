// Critical sections of two names do not exclude each other.
// flags: -fopenmp
// expect: race hits @a-@b confirmed
// output: 2
#include <stdio.h>

int hits;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical(a)
      hits++;  // @a
    }
#pragma omp section
    {
#pragma omp critical(b)
      hits++;  // @b
    }
  }
  printf("%d\n", hits);
  return 0;
}
