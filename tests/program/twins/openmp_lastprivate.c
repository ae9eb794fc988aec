// A variable that every iteration writes.
// twin: -DORDERED
// flags: -fopenmp
// expect: race x confirmed
int main(void) {
  int x = 0;
#ifndef ORDERED
#pragma omp parallel for
#else
#pragma omp parallel for lastprivate(x)
#endif
  for (int i = 0; i < 20; i++) x = i;
  return x > 100;
}
