// Two locks of OpenMP, taken in contrary orders.
// flags: -fopenmp
// expect: deadlock first second @second confirmed
// native: may hang
#include <omp.h>

omp_lock_t first, second;
int count;

__attribute__((noinline)) static void count_under(omp_lock_t* one, omp_lock_t* other) {
  omp_set_lock(one);
  omp_set_lock(other);  // @second
  count++;
  omp_unset_lock(other);
  omp_unset_lock(one);
}

int main(void) {
  omp_init_lock(&first);
  omp_init_lock(&second);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    count_under(&first, &second);
#pragma omp section
    count_under(&second, &first);
  }
  return 0;
}
