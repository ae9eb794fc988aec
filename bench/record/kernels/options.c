// Black-Scholes prices of an array of options, repeated: streaming over structures, long runs of
// floating point between a few accesses.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kOptions = 50000 };

struct Option {
  float spot, strike, rate, volatility, years;
  int is_put;
};

static struct Option options[kOptions];
static float prices[kOptions];
static int rounds;

static float normal(float x) {
  const float k = 1 / (1 + 0.2316419f * fabsf(x));
  const float sum =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * expf(-0.5f * x * x) * sum;
  return x < 0 ? tail : 1 - tail;
}

static float price(const struct Option* o) {
  const float deviation = o->volatility * sqrtf(o->years);
  const float d1 =
      (logf(o->spot / o->strike) + (o->rate + o->volatility * o->volatility / 2) * o->years) / deviation;
  const float d2 = d1 - deviation;
  const float discounted = o->strike * expf(-o->rate * o->years);
  if (o->is_put) return discounted * normal(-d2) - o->spot * normal(-d1);
  return o->spot * normal(d1) - discounted * normal(d2);
}

static void* run(void* argument) {
  const int half = argument != NULL;
  for (int round = 0; round < rounds; round++) {
    for (int i = half * kOptions / 2; i < (half + 1) * kOptions / 2; i++)
      prices[i] = price(&options[i]);
  }
  return NULL;
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? atoi(argv[1]) : 100;
  for (int i = 0; i < kOptions; i++) {
    options[i] = (struct Option){(float)(50 + i % 101), (float)(60 + i % 79), 0.01f * (float)(1 + i % 5),
                                 0.1f + 0.01f * (float)(i % 40), 0.25f * (float)(1 + i % 8), i % 2};
  }
  pthread_t other;
  pthread_create(&other, NULL, run, options);
  run(NULL);
  pthread_join(other, NULL);
  double sum = 0;
  for (int i = 0; i < kOptions; i++) sum += (double)prices[i];
  printf("%.6f\n", sum);
  return 0;
}
