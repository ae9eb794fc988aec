// An iteration that needs the one before it.
// twin: -DORDERED
// flags: -fopenmp
// expect: race * confirmed
int a[20];
int main(void) {
#pragma omp parallel for ordered(1)
  for (int i = 1; i < 20; i++) {
#ifdef ORDERED
#pragma omp ordered depend(sink : i - 1)
#endif
    a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  return a[3] > 10;
}
