// A loop without its barrier, and who reads the array next.
// twin: -DORDERED
// run: --runs=40
// flags: -fopenmp
// expect: race * confirmed
int main(void) {
  int a[40], err = 0;
#pragma omp parallel shared(err)
  {
#ifndef ORDERED
#pragma omp for nowait
#else
#pragma omp for
#endif
    for (int i = 0; i < 40; i++) a[i] = 10 * i;
#pragma omp single
    {
      err = a[9] + 1;
    }
  }
  return err > 1000;
}
