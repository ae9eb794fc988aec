// Reads that are left out between the last step before a look at the filter and the next step. The
// look must come at the same one of them, whoever asks the scheduler in between: it decides whether
// they count for the trial before it or the one after, and here that one fails without them.
#include <pthread.h>

enum { kThreads = 6, kTrial = 1 << 13 };  // as in runtime/threads/filter.cc
int own[kThreads][4 * kTrial];

#define USE(x) __asm__ volatile("" : : "r"(x))
#define UNSEEN __attribute__((annotate("foretell_ignore"), noinline))
#define TINY __attribute__((noinline)) static
TINY void write_one(int* p, int value) {
  *p = value;
}
TINY void read_one(const int* p) {
  USE(*p);
}

UNSEEN static void* work(void* argument) {
  int* data = argument;
  const int which = (int)((data - own[0]) / (4 * kTrial));
  int steps = 3;  // its begin and two reads, and some more
  read_one(data), read_one(data + 1);
  for (; steps < kTrial - kThreads / 2 + which; steps++) write_one(data + 2, steps);
  for (int i = 0; i < 100000; i++) read_one(data + i % 2);
  // The second trial takes twice as long.
  for (int i = 0; i < 2 * kTrial + 99; i++) write_one(data + 3, i);
  for (int i = 0; i < 300; i++) read_one(data + i % 2);
  return NULL;
}

UNSEEN int main(void) {
  for (int i = 0; i < kThreads; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, own[i]);
    pthread_join(thread, NULL);
  }
}
