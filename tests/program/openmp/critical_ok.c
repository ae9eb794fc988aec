// Critical sections of one name exclude each other; the whole is read after a barrier.
// flags: -fopenmp
// expect: none
// output: 6
#include <stdio.h>

int hits;

int main(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp critical(count)
    hits++;
#pragma omp critical(count)
    hits++;
#pragma omp barrier
#pragma omp single
    printf("%d\n", hits);
  }
  return 0;
}
