// Gravity between all pairs of bodies, two threads and a barrier after each phase: doubles in
// structures, much arithmetic between the accesses.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBodies = 512 };

struct Body {
  double position[3], velocity[3], mass;
};

static struct Body bodies[kBodies];
static pthread_barrier_t barrier;
static int steps;

static void accelerate(struct Body* body) {
  double pull[3] = {0, 0, 0};
  for (int i = 0; i < kBodies; i++) {
    const double x = bodies[i].position[0] - body->position[0];
    const double y = bodies[i].position[1] - body->position[1];
    const double z = bodies[i].position[2] - body->position[2];
    const double square = x * x + y * y + z * z + 0.01;
    const double force = bodies[i].mass / (square * sqrt(square));
    pull[0] += x * force;
    pull[1] += y * force;
    pull[2] += z * force;
  }
  for (int k = 0; k < 3; k++) body->velocity[k] += 0.001 * pull[k];
}

static void* simulate(void* argument) {
  const int half = argument != NULL;
  for (int step = 0; step < steps; step++) {
    for (int i = half; i < kBodies; i += 2) accelerate(&bodies[i]);
    pthread_barrier_wait(&barrier);
    for (int i = half; i < kBodies; i += 2) {
      for (int k = 0; k < 3; k++) bodies[i].position[k] += 0.001 * bodies[i].velocity[k];
    }
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(int argc, char** argv) {
  steps = argc > 1 ? atoi(argv[1]) : 100;
  for (int i = 0; i < kBodies; i++) {
    for (int k = 0; k < 3; k++) bodies[i].position[k] = (double)((i * 31 + k * 17) % 101) / 10;
    bodies[i].mass = 1 + i % 3;
  }
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t other;
  pthread_create(&other, NULL, simulate, bodies);
  simulate(NULL);
  pthread_join(other, NULL);
  double energy = 0;
  for (int i = 0; i < kBodies; i++) {
    for (int k = 0; k < 3; k++) {
      energy += bodies[i].mass * bodies[i].velocity[k] * bodies[i].velocity[k];
    }
  }
  printf("%.9e\n", energy);
  return 0;
}
