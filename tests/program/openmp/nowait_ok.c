// Loops with a barrier in between, and one that reads only what its own thread wrote.
// flags: -fopenmp
// expect: none
// output: 12
#include <stdio.h>

int numbers[4], doubled[4];

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
    for (int round = 0; round < 3; round++) {
#pragma omp for schedule(static) nowait
      for (int i = 0; i < 4; i++) numbers[i] = i;
#pragma omp for schedule(static)
      for (int i = 0; i < 4; i++) numbers[i] = 2 * numbers[i];
#pragma omp for schedule(static)
      for (int i = 0; i < 4; i++) doubled[i] = numbers[3 - i];
    }
  }
  for (int i = 0; i < 4; i++) sum += doubled[i];
  printf("%d\n", sum);
  return 0;
}
