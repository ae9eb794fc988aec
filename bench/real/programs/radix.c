// SPDX-License-Identifier: Apache-2.0
// Radix sort: each thread counts the digits of its part, the counts of all threads become positions,
// and each thread moves its keys there. Barriers between the phases.
//
// usage: radix KEYS
// test: 300
// x1: 700000
// x10: 7000000
// x100: 70000000
// races: none
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 2, kBits = 8, kDigits = 1 << kBits };

static size_t count;
static uint32_t* from;
static uint32_t* to;
static size_t histogram[kThreads][kDigits];
static size_t position[kThreads][kDigits];
static pthread_barrier_t barrier;

static void place(void) {
  size_t next = 0;
  for (int digit = 0; digit < kDigits; digit++) {
    for (int thread = 0; thread < kThreads; thread++) {
      position[thread][digit] = next;
      next += histogram[thread][digit];
    }
  }
}

static void* sort(void* argument) {
  const size_t self = (size_t)argument;
  const size_t begin = count * self / kThreads, end = count * (self + 1) / kThreads;
  for (int shift = 0; shift < 32; shift += kBits) {
    for (int digit = 0; digit < kDigits; digit++) histogram[self][digit] = 0;
    for (size_t i = begin; i < end; i++) histogram[self][from[i] >> shift & (kDigits - 1)]++;
    pthread_barrier_wait(&barrier);
    if (self == 0) place();
    pthread_barrier_wait(&barrier);
    for (size_t i = begin; i < end; i++) to[position[self][from[i] >> shift & (kDigits - 1)]++] = from[i];
    pthread_barrier_wait(&barrier);
    if (self == 0) {
      uint32_t* const sorted = to;
      to = from;
      from = sorted;
    }
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(int argc, char** argv) {
  count = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
  from = malloc(count * sizeof *from);
  to = malloc(count * sizeof *to);
  uint32_t state = 1;
  for (size_t i = 0; i < count; i++) from[i] = state = state * 1664525 + 1013904223;
  pthread_barrier_init(&barrier, NULL, kThreads);
  pthread_t other;
  pthread_create(&other, NULL, sort, (void*)1);
  sort(NULL);
  pthread_join(other, NULL);
  uint64_t hash = 0;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && from[i - 1] > from[i]) return 1;
    hash = hash * 31 + from[i];
  }
  printf("%llx\n", (unsigned long long)hash);
  free(from);
  free(to);
  return 0;
}
