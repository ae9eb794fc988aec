// The thread that created the task executes it at the barrier, after it has read: only a run in which another one
// executes it shows the race.
// run: --runs=30
// flags: -fopenmp
// expect: race * @write-@read confirmed
#include <stdio.h>

int main(void) {
  int x = 0, y = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(x)
    x = 1;  // @write
    y = x;  // @read
  }
  printf("%d\n", y);
}
