// A sum of a parallel loop, by reduction; what threads wrote is read in the next region and after it.
// flags: -fopenmp
// expect: none
// output: 4950 99
#include <stdio.h>

int numbers[100];

int main(void) {
  long sum = 0;
  int largest = -1;
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 100; i++) numbers[i] = i;
#pragma omp parallel for num_threads(3) reduction(+ : sum) reduction(max : largest)
  for (int i = 0; i < 100; i++) {
    sum += numbers[99 - i];
    if (numbers[i] > largest) largest = numbers[i];
  }
  printf("%ld %d\n", sum, largest);
  return 0;
}
