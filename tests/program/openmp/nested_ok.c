// A region within a region, each with its own team.
// flags: -fopenmp
// expect: none
// output: 8
#include <omp.h>
#include <stdio.h>

int cells[2][2];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    const int row = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
      cells[row][omp_get_thread_num()] = 1;
#pragma omp barrier
      if (omp_get_thread_num() == 0) cells[row][1] += 2;
    }
    cells[row][0]++;
  }
  printf("%d\n", cells[0][0] + cells[0][1] + cells[1][0] + cells[1][1] - 2);
  return 0;
}
