// A travelling salesman by branch and bound, in the manner of STATICDET's tsp: threads take first cities from a
// counter, and prune by the shortest tour that any of them has found.
//
// True verdict: nondeterministic. The length of the best tour is the same in every schedule, but which of several
// shortest tours is kept, and how many are tried, is not.
// foretell: possibly nondeterministic
#include <pthread.h>
#include <stdio.h>

enum { kCities = 8, kThreads = 2 };
int distance[kCities][kCities];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int next_city = 1, best = 1 << 20, best_tour[kCities], tried;

struct tour {
  int city[kCities], used[kCities], length;
};

int bound(void) {
  pthread_mutex_lock(&lock);
  int now = best;
  pthread_mutex_unlock(&lock);
  return now;
}

void offer(const struct tour *tour, int length) {
  pthread_mutex_lock(&lock);
  tried++;
  if (length < best) {
    best = length;
    for (int i = 0; i < kCities; i++) best_tour[i] = tour->city[i];
  }
  pthread_mutex_unlock(&lock);
}

void extend(struct tour *tour, int depth) {
  if (tour->length >= bound()) return;
  int last = tour->city[depth - 1];
  if (depth == kCities) {
    offer(tour, tour->length + distance[last][0]);
    return;
  }
  for (int city = 1; city < kCities; city++) {
    if (tour->used[city]) continue;
    tour->used[city] = 1;
    tour->city[depth] = city;
    tour->length += distance[last][city];
    extend(tour, depth + 1);
    tour->length -= distance[last][city];
    tour->used[city] = 0;
  }
}

void *search(void *unused) {
  for (;;) {
    pthread_mutex_lock(&lock);
    int city = next_city++;
    pthread_mutex_unlock(&lock);
    if (city >= kCities) return unused;
    struct tour tour = {{0}, {0}, 0};
    tour.used[0] = tour.used[city] = 1;
    tour.city[1] = city;
    tour.length = distance[0][city];
    extend(&tour, 2);
  }
}

int main(void) {
  for (int i = 0; i < kCities; i++)
    for (int j = 0; j < kCities; j++) distance[i][j] = (i * 7 + j * 13 + i * j) % 23 + 1;
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], 0, search, 0);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
  printf("%d after %d tours, by %d\n", best, tried, best_tour[1]);
  return 0;
}
