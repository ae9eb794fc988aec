// The second loop does not wait for the first, and reads what another thread writes there.
// flags: -fopenmp
// expect: race * @write-@read confirmed
#include <stdio.h>

int numbers[4], doubled[4];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 4; i++) numbers[i] = i;  // @write
#pragma omp for schedule(static)
    for (int i = 0; i < 4; i++) doubled[i] = 2 * numbers[3 - i];  // @read
  }
  return 0;
}
