// Tasks that make tasks, taskwait, taskgroup, taskloop, and the barrier at the end.
// flags: -fopenmp
// expect: none
// output: 8 10 15 3
#include <stdio.h>

int parts[4], late;

static int fib(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void fill(int n) {
#pragma omp task
  parts[n] = n + 1;
}

int main(void) {
  int result = 0, sum = 0, more = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    result = fib(6);
#pragma omp taskgroup
    {
#pragma omp task
      fill(0);
#pragma omp task
      fill(1);
      fill(2);
      fill(3);
    }
    for (int i = 0; i < 4; i++) sum += parts[i];
    int own[5];
#pragma omp taskloop shared(own)
    for (int i = 0; i < 5; i++) own[i] = i + 1;
    for (int i = 0; i < 5; i++) more += own[i];
#pragma omp task
    late = 3;
  }
  printf("%d %d %d %d\n", result, sum, more, late);
  return 0;
}
