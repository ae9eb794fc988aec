// The inner loop adds to one element.
// twin: -DORDERED
// flags: -fopenmp
// expect: race * confirmed
double a[8][8], v[8], o[8];
int main(void) {
  for (int i = 0; i < 8; i++) {
#ifndef ORDERED
#pragma omp parallel for
    for (int j = 0; j < 8; j++) o[i] += a[i][j] * v[j];
#else
    double s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int j = 0; j < 8; j++) s += a[i][j] * v[j];
    o[i] = s;
#endif
  }
  return o[0] > 1;
}
