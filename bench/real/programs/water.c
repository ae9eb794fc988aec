// SPDX-License-Identifier: Apache-2.0
// Particles that attract each other up to a distance. Each pair is computed once, by one thread, which
// adds the force to both particles under their locks; sums of a thread are added up first. Forces are
// integers, so that the order of adding changes nothing.
//
// usage: water PARTICLES [STEPS]
// test: 24 1
// x1: 1024 7
// x10: 2048 18
// x100: 4096 45
// races: none
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 2, kBox = 4096 };

struct Particle {
  pthread_mutex_t mutex;  // of force
  int32_t position[3], velocity[3];
  int64_t force[3];
};

static int count, steps;
static struct Particle* particles;
static pthread_barrier_t barrier;
static pthread_mutex_t energy_mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t energy;

static void add_force(struct Particle* to, const int64_t* force, int sign) {
  pthread_mutex_lock(&to->mutex);
  for (int k = 0; k < 3; k++) to->force[k] += sign * force[k];
  pthread_mutex_unlock(&to->mutex);
}

static int64_t attract(int i) {
  int64_t potential = 0, own[3] = {0, 0, 0};
  for (int j = i + 1; j < count; j++) {
    int64_t distance[3], square = 0;
    for (int k = 0; k < 3; k++) {
      distance[k] = particles[j].position[k] - particles[i].position[k];
      square += distance[k] * distance[k];
    }
    if (square > kBox * kBox / 64) continue;
    int64_t force[3];
    for (int k = 0; k < 3; k++) {
      force[k] = distance[k] * 4096 / (square + 64);
      own[k] += force[k];
    }
    add_force(&particles[j], force, -1);
    potential += square;
  }
  add_force(&particles[i], own, 1);
  return potential;
}

static void* simulate(void* argument) {
  const int self = (int)(size_t)argument;
  for (int step = 0; step < steps; step++) {
    int64_t potential = 0;
    for (int i = self; i < count; i += kThreads) potential += attract(i);
    pthread_mutex_lock(&energy_mutex);
    energy += potential;
    pthread_mutex_unlock(&energy_mutex);
    pthread_barrier_wait(&barrier);
    for (int i = self; i < count; i += kThreads) {
      for (int k = 0; k < 3; k++) {
        particles[i].velocity[k] += (int32_t)(particles[i].force[k] / 64);
        particles[i].position[k] = (particles[i].position[k] + particles[i].velocity[k]) & (kBox - 1);
        particles[i].force[k] = 0;
      }
    }
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(int argc, char** argv) {
  count = argc > 1 ? atoi(argv[1]) : 10;
  steps = argc > 2 ? atoi(argv[2]) : 1;
  particles = calloc((size_t)count, sizeof *particles);
  uint32_t state = 5;
  for (int i = 0; i < count; i++) {
    pthread_mutex_init(&particles[i].mutex, NULL);
    for (int k = 0; k < 3; k++) {
      state = state * 1664525 + 1013904223;
      particles[i].position[k] = (int32_t)(state >> 20);
    }
  }
  pthread_barrier_init(&barrier, NULL, kThreads);
  pthread_t other;
  pthread_create(&other, NULL, simulate, (void*)1);
  simulate(NULL);
  pthread_join(other, NULL);
  int64_t sum = 0;
  for (int i = 0; i < count; i++) sum = sum * 31 + particles[i].position[0] + particles[i].velocity[1];
  printf("%lld %lld\n", (long long)energy, (long long)sum);
  free(particles);
  return 0;
}
