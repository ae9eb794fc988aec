// Elevators that serve calls from one table, in the manner of STATICDET's elevator.
//
// True verdict: nondeterministic. Which elevator takes which call, and so how far each of them travels, depends on the
// schedule; that all calls are served does not.
// foretell: possibly nondeterministic
#include <pthread.h>
#include <stdio.h>

enum { kFloors = 12, kElevators = 2, kCalls = 20 };
struct call {
  int from, to, taken;
} calls[kCalls];
struct elevator {
  int floor, travelled, served;
} elevators[kElevators];
pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

int distance(int a, int b) { return a < b ? b - a : a - b; }

// The nearest call that nobody has taken.
int take(const struct elevator *e) {
  int nearest = -1;
  pthread_mutex_lock(&table);
  for (int i = 0; i < kCalls; i++)
    if (!calls[i].taken &&
        (nearest < 0 || distance(e->floor, calls[i].from) < distance(e->floor, calls[nearest].from)))
      nearest = i;
  if (nearest >= 0) calls[nearest].taken = 1;
  pthread_mutex_unlock(&table);
  return nearest;
}

void go(struct elevator *e, int floor) {
  while (e->floor != floor) {
    e->floor += e->floor < floor ? 1 : -1;
    e->travelled++;
  }
}

void *run(void *argument) {
  struct elevator *e = argument;
  for (int call = take(e); call >= 0; call = take(e)) {
    go(e, calls[call].from);
    go(e, calls[call].to);
    e->served++;
  }
  return 0;
}

int main(void) {
  for (int i = 0; i < kCalls; i++) {
    calls[i].from = i * 5 % kFloors;
    calls[i].to = i * 7 % kFloors;
  }
  pthread_t threads[kElevators];
  for (int i = 0; i < kElevators; i++) pthread_create(&threads[i], 0, run, &elevators[i]);
  for (int i = 0; i < kElevators; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < kElevators; i++) printf("%d %d\n", elevators[i].travelled, elevators[i].served);
  return 0;
}
