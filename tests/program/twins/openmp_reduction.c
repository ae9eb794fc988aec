// A sum without a reduction.
// twin: -DORDERED
// flags: -fopenmp
// expect: race s confirmed
int main(void) {
  int s = 0, a[40];
  for (int i = 0; i < 40; i++) a[i] = i;
#ifndef ORDERED
#pragma omp parallel for
#else
#pragma omp parallel for reduction(+ : s)
#endif
  for (int i = 0; i < 40; i++) s += a[i];
  return s > 1000;
}
