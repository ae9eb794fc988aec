// series: the first Fourier coefficients of (x+1)^x between 0 and 2, by the trapezoid rule. Each
// thread has its own coefficients and only joining brings them together.
//
// usage: series [COEFFICIENTS [THREADS [POINTS]]]
// test: 8 2 20
// speed: 400 4 4000
//
// Self-check: the coefficients are exactly those of one thread, and the mean of the function is
// right.
//
// No bugs: tools must be silent.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostThreads = 16, kMost = 10000 };

static int coefficients, threads, points;
static double cosine[kMost], sine[kMost];

static double integrate(int n, double (*wave)(double)) {
  const double width = 2.0 / points, omega = 3.14159265358979323846 * n;
  double sum = 0;
  for (int i = 0; i <= points; i++) {
    const double x = i * width;
    const double weight = i == 0 || i == points ? 0.5 : 1;
    sum += weight * pow(x + 1, x) * wave(omega * x);
  }
  return sum * width;
}

static void* compute(void* argument) {
  const int me = (int)(long)argument;
  for (int n = me; n < coefficients; n += threads) {
    cosine[n] = integrate(n, cos);
    sine[n] = integrate(n, sin);
  }
  return NULL;
}

static double solve(int with_threads) {
  threads = with_threads;
  pthread_t all[kMostThreads];
  for (long i = 0; i < threads; i++) pthread_create(&all[i], NULL, compute, (void*)i);
  for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);
  double sum = 0;
  for (int n = 0; n < coefficients; n++) sum += cosine[n] * cosine[n] + sine[n] * sine[n];
  return sum;
}

int main(int argc, char** argv) {
  coefficients = argc > 1 ? atoi(argv[1]) : 100;
  const int wanted = argc > 2 ? atoi(argv[2]) : 4;
  points = argc > 3 ? atoi(argv[3]) : 500;
  if (coefficients < 1 || coefficients > kMost || wanted < 1 || wanted > kMostThreads ||
      points < 1) {
    return 2;
  }
  const double power = solve(wanted);
  const double twice_the_mean = cosine[0];
  printf("series: %d coefficients, power %.6f\n", coefficients, power);
  // The integral is 5.7639 for ever more points; the trapezoid rule comes from above.
  return power == solve(1) && twice_the_mean > 5.76 && twice_the_mean < 5.81 ? 0 : 1;
}
