// Two locks of OpenMP, taken in contrary orders.
// flags: -fopenmp
// expect: deadlock first second @a confirmed
// native: may hang
#include <omp.h>

omp_lock_t first, second;
int count;

int main(void) {
  omp_init_lock(&first);
  omp_init_lock(&second);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      omp_set_lock(&first);
      omp_set_lock(&second);  // @a
      count++;
      omp_unset_lock(&second);
      omp_unset_lock(&first);
    }
#pragma omp section
    {
      omp_set_lock(&second);
      omp_set_lock(&first);
      count++;
      omp_unset_lock(&first);
      omp_unset_lock(&second);
    }
  }
  return 0;
}
