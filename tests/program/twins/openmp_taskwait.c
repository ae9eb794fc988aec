// A task that nobody waits for.
// twin: -DORDERED
// run: --runs=40
// flags: -fopenmp
// expect: race r confirmed
int main(void) {
  int r = 0, s = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(r)
    r = 4;
#ifdef ORDERED
#pragma omp taskwait
#endif
    s = r;
  }
  return s > 9;
}
