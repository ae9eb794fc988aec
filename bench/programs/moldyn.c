// moldyn: molecules in a box that attract and repel each other (Lennard-Jones). Each thread
// computes the forces of its share of the pairs into an array of its own; barriers separate
// computing, adding up and moving.
//
// usage: moldyn [SIDE [THREADS [STEPS]]]       SIDE^3 molecules
// test: 2 2 2
// speed: 6 4 12
//
// Self-check: energies and positions are those of the same shares computed one after the other.
//
// No bugs: tools must be silent.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostThreads = 16, kMostMolecules = 512 };

typedef struct {
  double x, y, z;
} Vector;

static int count, threads, steps;
static double box;
static Vector position[kMostMolecules], velocity[kMostMolecules];
static Vector force[kMostThreads][kMostMolecules];  // one row per thread, added up by all
static double potential[kMostThreads];
static double energy;  // written by thread 0 between two barriers
static pthread_barrier_t turn;

static double nearest_image(double distance) {
  return distance - box * round(distance / box);
}

static void compute_forces(int share) {
  Vector* mine = force[share];
  for (int i = 0; i < count; i++) mine[i] = (Vector){0, 0, 0};
  potential[share] = 0;
  for (int i = share; i < count; i += threads) {
    for (int k = i + 1; k < count; k++) {
      const double x = nearest_image(position[i].x - position[k].x);
      const double y = nearest_image(position[i].y - position[k].y);
      const double z = nearest_image(position[i].z - position[k].z);
      const double inverse = 1 / (x * x + y * y + z * z), sixth = inverse * inverse * inverse;
      const double pull = 24 * inverse * sixth * (2 * sixth - 1);
      mine[i].x += pull * x, mine[i].y += pull * y, mine[i].z += pull * z;
      mine[k].x -= pull * x, mine[k].y -= pull * y, mine[k].z -= pull * z;
      potential[share] += 4 * sixth * (sixth - 1);
    }
  }
}

static void move(int share) {
  const double step = 0.002;
  for (int i = count * share / threads; i < count * (share + 1) / threads; i++) {
    for (int other = 0; other < threads; other++) {
      velocity[i].x += step * force[other][i].x;
      velocity[i].y += step * force[other][i].y;
      velocity[i].z += step * force[other][i].z;
    }
    position[i].x += step * velocity[i].x;
    position[i].y += step * velocity[i].y;
    position[i].z += step * velocity[i].z;
  }
}

static void add_up_energy(void) {
  energy = 0;
  for (int i = 0; i < threads; i++) energy += potential[i];
}

static void* simulate(void* argument) {
  const int me = (int)(long)argument;
  for (int i = 0; i < steps; i++) {
    compute_forces(me);
    pthread_barrier_wait(&turn);
    if (me == 0) add_up_energy();
    move(me);
    pthread_barrier_wait(&turn);
  }
  return NULL;
}

static void place(int side) {
  box = 1.2 * side;
  unsigned random = 11;
  for (int i = 0; i < count; i++) {
    random = random * 1103515245u + 12345u;
    const double off = (random >> 16) % 100 / 1000.0;
    position[i] =
        (Vector){1.2 * (i % side) + off, 1.2 * (i / side % side) - off, 1.2 * (i / side / side)};
    velocity[i] = (Vector){0, 0, 0};
  }
}

static double sum_of_positions(void) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += position[i].x + position[i].y + position[i].z;
  return sum;
}

int main(int argc, char** argv) {
  const int side = argc > 1 ? atoi(argv[1]) : 4;
  threads = argc > 2 ? atoi(argv[2]) : 4;
  steps = argc > 3 ? atoi(argv[3]) : 8;
  count = side * side * side;
  if (side < 2 || count > kMostMolecules || threads < 1 || threads > kMostThreads) return 2;

  place(side);
  pthread_barrier_init(&turn, NULL, (unsigned)threads);
  pthread_t all[kMostThreads];
  for (long i = 0; i < threads; i++) pthread_create(&all[i], NULL, simulate, (void*)i);
  for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);
  const double parallel_energy = energy, parallel_sum = sum_of_positions();

  place(side);
  for (int i = 0; i < steps; i++) {
    for (int share = 0; share < threads; share++) compute_forces(share);
    add_up_energy();
    for (int share = 0; share < threads; share++) move(share);
  }
  printf("moldyn: %d molecules, potential energy %.6f\n", count, parallel_energy);
  return parallel_energy == energy && parallel_sum == sum_of_positions() ? 0 : 1;
}
