// SPDX-License-Identifier: Apache-2.0

// Setters write a, then b; a checker must never see one without the other.
#include <assert.h>
#include <pthread.h>

#ifndef SETTERS
#define SETTERS 9
#endif

static volatile int a, b;

static void *set(void *unused) {
  a = 1;
  b = -1;
  return unused;
}

static void *check(void *unused) {
  const int seen_a = a, seen_b = b;
  assert((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1));
  return unused;
}

int main(void) {
  pthread_t setters[SETTERS], checker;
  for (int i = 0; i < SETTERS; i++) pthread_create(&setters[i], 0, set, 0);
  pthread_create(&checker, 0, check, 0);
  for (int i = 0; i < SETTERS; i++) pthread_join(setters[i], 0);
  pthread_join(checker, 0);
  return 0;
}
