// Prices by simulated paths, in the manner of the Java Grande benchmark: each thread simulates paths with a random
// state of its own, and adds what it found to a total under a lock.
//
// True verdict: same result in any order: gains are counted in whole cents, and sums of integers have no order.
// foretell: same result in any order
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 2, kPaths = 60, kSteps = 30 };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long total_gain;
unsigned total_paths;
struct task {
  unsigned seed;
  int low, high;
} tasks[kThreads];

unsigned next_random(unsigned *state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

long simulate(struct task *task) {
  long price = 10000;
  for (int step = 0; step < kSteps; step++) {
    long change = (long)(next_random(&task->seed) % 201) - 100;
    price += price * change / 10000;
  }
  if (price < task->low) task->low = (int)price;
  if (price > task->high) task->high = (int)price;
  return price - 10000;
}

void *work(void *argument) {
  struct task *task = argument;
  for (int path = 0; path < kPaths; path++) {
    long gain = simulate(task);
    pthread_mutex_lock(&lock);
    total_gain += gain;
    total_paths++;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) {
    tasks[i].seed = 17u * (unsigned)i + 1;
    tasks[i].low = 10000;
    tasks[i].high = 10000;
    pthread_create(&threads[i], 0, work, &tasks[i]);
  }
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < kThreads; i++) printf("%d to %d\n", tasks[i].low, tasks[i].high);
  printf("%ld cents in %u paths\n", total_gain, total_paths);
  return 0;
}
