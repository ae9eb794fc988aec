// index by values
// deterministic: the values that both indices can have keep the parts apart
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 2, kPart = 16 };
struct part {
  short values[kPart];
} parts[kThreads];

void *work(void *argument) {
  struct part *part = argument;
  for (int i = 0; i < kPart; i += 4)
    for (int j = i; j < i + 4; j++) part->values[j] += i;
  return 0;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int t = 0; t < kThreads; t++) pthread_create(&threads[t], 0, work, &parts[t]);
  for (int t = 0; t < kThreads; t++) pthread_join(threads[t], 0);
  for (int t = 0; t < kThreads; t++) printf("%d\n", parts[t].values[t]);
  return 0;
}
