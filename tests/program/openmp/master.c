// A master region has no barrier at its end.
// flags: -fopenmp
// expect: race ready @write-@read confirmed
#include <omp.h>

int ready, seen[2];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    ready = 1;                            // @write
    seen[omp_get_thread_num()] = ready;  // @read
  }
  return 0;
}
