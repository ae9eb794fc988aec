// Molecular dynamics, in the manner of the Java Grande benchmark: threads compute forces on all particles into arrays
// of their own, which main adds up in the order of the threads before it moves the particles.
//
// True verdict: deterministic. Positions are only read while threads run, each thread has its own forces, and the
// sums of floating point numbers have one order.
// foretell: possibly nondeterministic (joins in a loop that is itself repeated)
#include <pthread.h>
#include <stdio.h>

enum { kParticles = 24, kThreads = 2, kSteps = 8 };
struct vector {
  double x, y, z;
};
struct vector place[kParticles], speed[kParticles], force[kParticles];
struct worker {
  int first, stride;
  struct vector forces[kParticles];
  double potential;
  int pairs;
} workers[kThreads];

struct vector difference(struct vector a, struct vector b) {
  struct vector d = {a.x - b.x, a.y - b.y, a.z - b.z};
  return d;
}

void add_scaled(struct vector *to, struct vector v, double factor) {
  to->x += v.x * factor;
  to->y += v.y * factor;
  to->z += v.z * factor;
}

void *interact(void *argument) {
  struct worker *self = argument;
  struct vector zero = {0, 0, 0};
  for (int i = 0; i < kParticles; i++) self->forces[i] = zero;
  for (int i = self->first; i < kParticles; i += self->stride)
    for (int j = i + 1; j < kParticles; j++) {
      struct vector d = difference(place[i], place[j]);
      double square = d.x * d.x + d.y * d.y + d.z * d.z;
      if (square > 9) continue;
      double inverse = 1 / (square + 0.01), sixth = inverse * inverse * inverse;
      self->potential += sixth * sixth - sixth;
      self->pairs++;
      double strength = 48 * inverse * (sixth * sixth - 0.5 * sixth);
      if (strength > 100) strength = 100;
      add_scaled(&self->forces[i], d, strength);
      add_scaled(&self->forces[j], d, -strength);
    }
  return 0;
}

void move(double time) {
  for (int i = 0; i < kParticles; i++) {
    struct vector sum = {0, 0, 0};
    for (int t = 0; t < kThreads; t++) add_scaled(&sum, workers[t].forces[i], 1);
    force[i] = sum;
    add_scaled(&speed[i], sum, time);
    add_scaled(&place[i], speed[i], time);
  }
}

int main(void) {
  for (int i = 0; i < kParticles; i++) {
    place[i].x = i % 3 * 1.2;
    place[i].y = i / 3 % 3 * 1.2;
    place[i].z = i / 9 * 1.2;
  }
  for (int step = 0; step < kSteps; step++) {
    pthread_t threads[kThreads];
    for (int t = 0; t < kThreads; t++) {
      workers[t].first = t;
      workers[t].stride = kThreads;
      pthread_create(&threads[t], 0, interact, &workers[t]);
    }
    for (int t = 0; t < kThreads; t++) pthread_join(threads[t], 0);
    move(0.001);
  }
  double potential = 0;
  for (int t = 0; t < kThreads; t++) potential += workers[t].potential;
  printf("%.9f %.9f %d\n", potential, place[0].x, workers[0].pairs + workers[1].pairs);
  return 0;
}
