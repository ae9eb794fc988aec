// A sequential program for `foretell parallelize`: some of its loops can run in parallel.
#include <stdio.h>

enum { kSize = 100000 };
double heat[kSize], next[kSize], sums[kSize];
int marks[kSize];

int main(void) {
  int hot = 0;
  double left;
  for (int i = 0; i < kSize; i++) heat[i] = i % 17;
  for (int round = 0; round < 50; round++) {
    for (int i = 1; i < kSize - 1; i++) {
      left = heat[i - 1];
      next[i] = (left + heat[i] + heat[i + 1]) / 3;
    }
    for (int i = 1; i < kSize - 1; i++) heat[i] = next[i];
  }
  for (int i = 0; i < kSize; i++) marks[i] = heat[i] > 8;
  for (int i = 0; i < kSize; i++) hot += marks[i];
  for (int i = 1; i < kSize; i++) sums[i] = sums[i - 1] + heat[i];
  printf("%d %.6f\n", hot, sums[kSize - 1]);
  return 0;
}
