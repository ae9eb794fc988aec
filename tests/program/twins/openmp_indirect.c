// Indices that repeat.
// twin: -DORDERED
// flags: -fopenmp
// expect: race * confirmed
int idx[20], v[64];
int main(void) {
  for (int i = 0; i < 20; i++)
    idx[i] =
#ifndef ORDERED
        (i * 7) % 10;
#else
        i * 3;
#endif
#pragma omp parallel for
  for (int i = 0; i < 20; i++) v[idx[i]] += i;
  return v[0] > 100;
}
