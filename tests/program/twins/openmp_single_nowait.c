// Those that do not execute the block go on.
// twin: -DORDERED
// flags: -fopenmp
// expect: race cfg confirmed
int main(void) {
  int cfg = 0, sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#ifndef ORDERED
#pragma omp single nowait
#else
#pragma omp single
#endif
    cfg = 3;
    sum += cfg;
  }
  return sum > 100;
}
