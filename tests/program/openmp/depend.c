// The reader depends on another variable than the one that is written.
// flags: -fopenmp
// expect: race x @write-@read confirmed
int x, y, result;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;  // @write
#pragma omp task depend(in : y)
    result = x;  // @read
  }
  return 0;
}
