// Threads that do not race, with phases in which much repeats and others in which nothing does, so
// that each one's filter is switched on and off several times.
#include <pthread.h>
#include <stdatomic.h>

enum { kThreads = 2, kSize = 1 << 14 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int own[kThreads][kSize], shared[64];
atomic_int ticks;

#define USE(x) __asm__ volatile("" : : "r"(x))
#define TINY __attribute__((noinline)) static

TINY void fresh(const int* data, int count) {
  for (int i = 0; i < count; i++) USE(data[i % kSize]);
}
// `count` steps, and `times` reads for each of them that repeat.
TINY void repeat(int* data, int count, int times) {
  for (int i = 0; i < count; i++) {
    data[i % 16] = i;
    USE(data[i % 16]);
    for (int j = 0; j < times; j++) USE(data[16 + j % 8]);
  }
}
TINY void together(int* data, int count) {
  for (int i = 0; i < count; i++) {
    const int* at = data + i % 61;
    USE(at[0] + at[3] * at[5] + data[1]);
    if (i % 64 == 0) data[i % kSize] = i;
  }
}
TINY void locked(int* data, int count) {
  for (int i = 0; i < count; i++) {
    pthread_mutex_lock(&mutex);
    // Whether a write changes a value decides what the filter leaves out; each one here does.
    for (int j = 0; j < 5; j++) {
      USE(data[j] + shared[j]);
      shared[(i + j) % 64]++;
    }
    pthread_mutex_unlock(&mutex);
    USE(data[i % 8]);
    if (i % 16 == 0) atomic_fetch_add(&ticks, 1);
  }
}

static void* work(void* argument) {
  int* data = argument;
  const int which = data != own[0];
  repeat(data, 1500 + 333 * which, 1);  // about a step for each read left out
  fresh(data, 9000);
  locked(data, 1200);
  together(data, 30000);
  fresh(data, 15000);
  repeat(data, 3000, 3);
  fresh(data, 9000 - 77 * which);
  // The filter is on again.
  repeat(data, 700, 60);
  together(data, 50000);
  locked(data, 900);
  fresh(data, 12000);
  repeat(data, 2500, 2);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, work, own[i]);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
}
