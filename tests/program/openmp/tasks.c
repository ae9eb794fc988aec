// Who adds up does not wait for the tasks.
// flags: -fopenmp
// expect: race parts[0] @write-@read confirmed
#include <stdio.h>

int parts[2], sum;

static void work(int n) {
  parts[n] = n + 1;  // @write
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    work(0);
#pragma omp task
    work(1);
    sum = parts[0];  // @read
  }
  return 0;
}
