// Tasks that come and go without anybody waiting: the library gives the memory of one to the next.
// flags: -fopenmp
// expect: none
// output: 1225 190
#include <stdio.h>

int squares[50], loops[20];

int main(void) {
  int sum = 0, more = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 50; i++) {
#pragma omp task firstprivate(i)
      squares[i] = i;
    }
#pragma omp taskloop nogroup
    for (int i = 0; i < 20; i++) loops[i] = i;
  }
  for (int i = 0; i < 50; i++) sum += squares[i];
  for (int i = 0; i < 20; i++) more += loops[i];
  printf("%d %d\n", sum, more);
  return 0;
}
