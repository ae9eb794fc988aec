// A static variable of a function that a loop calls.
// twin: -DORDERED
// flags: -fopenmp
// expect: race s confirmed
static int s;
#ifdef ORDERED
#pragma omp threadprivate(s)
#endif
void step(int i) {
  s += i;
}
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 30; i++) step(i);
  return s > 1000;
}
