// Locks of OpenMP in one order, tried ones and nested ones.
// flags: -fopenmp
// expect: none
// output: 8
#include <omp.h>
#include <stdio.h>

omp_lock_t first, second;
omp_nest_lock_t nested;
int count;

int main(void) {
  omp_init_lock(&first);
  omp_init_lock(&second);
  omp_init_nest_lock(&nested);
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(&first);
    omp_set_lock(&second);
    count++;
    omp_unset_lock(&second);
    omp_unset_lock(&first);
    while (!omp_test_lock(&first)) {
    }
    count++;
    omp_unset_lock(&first);
#pragma omp barrier
    omp_set_nest_lock(&nested);
    count++;
    omp_set_nest_lock(&nested);
    count++;
    omp_unset_nest_lock(&nested);
    omp_unset_nest_lock(&nested);
  }
  printf("%d\n", count);
  return 0;
}
