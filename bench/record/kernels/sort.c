// Quicksort of two halves by two threads, then one merge: 4-byte reads and writes with
// data-dependent branches.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct Part {
  int* first;
  long count;
};

static void sort(int* at, long count) {
  while (count > 16) {
    const int pivot = at[count / 2];
    long low = 0;
    long high = count - 1;
    while (low <= high) {
      while (at[low] < pivot) low++;
      while (at[high] > pivot) high--;
      if (low > high) break;
      const int swap = at[low];
      at[low++] = at[high];
      at[high--] = swap;
    }
    sort(at + low, count - low);
    count = high + 1;
  }
  for (long i = 1; i < count; i++) {
    const int one = at[i];
    long hole = i;
    for (; hole > 0 && at[hole - 1] > one; hole--) at[hole] = at[hole - 1];
    at[hole] = one;
  }
}

static void* sort_part(void* argument) {
  struct Part* part = argument;
  sort(part->first, part->count);
  return NULL;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 2000000;
  int* numbers = malloc((size_t)count * sizeof *numbers);
  int* merged = malloc((size_t)count * sizeof *merged);
  uint32_t random = 1;
  for (long i = 0; i < count; i++) {
    random = random * 1664525 + 1013904223;
    numbers[i] = (int)(random >> 1);
  }
  struct Part parts[2] = {{numbers, count / 2}, {numbers + count / 2, count - count / 2}};
  pthread_t other;
  pthread_create(&other, NULL, sort_part, &parts[1]);
  sort_part(&parts[0]);
  pthread_join(other, NULL);
  long a = 0;
  long b = count / 2;
  for (long i = 0; i < count; i++) {
    const int from_a = b == count || (a < count / 2 && numbers[a] <= numbers[b]);
    merged[i] = from_a ? numbers[a++] : numbers[b++];
  }
  uint64_t sum = 0;
  for (long i = 1; i < count; i++) {
    if (merged[i - 1] > merged[i]) return 1;
    sum = sum * 31 + (uint64_t)merged[i];
  }
  printf("%llx\n", (unsigned long long)sum);
  return 0;
}
