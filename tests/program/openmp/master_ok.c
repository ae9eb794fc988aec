// A single region has one, and copyprivate hands its value to the others.
// flags: -fopenmp
// expect: none
// output: 1 1 7 7
#include <omp.h>
#include <stdio.h>

int ready, seen[2], copied[2];

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int value;
#pragma omp single
    ready = 1;
    seen[omp_get_thread_num()] = ready;
#pragma omp single copyprivate(value)
    value = 7;
    copied[omp_get_thread_num()] = value;
  }
  printf("%d %d %d %d\n", seen[0], seen[1], copied[0], copied[1]);
  return 0;
}
