// SPDX-License-Identifier: Apache-2.0

// A lock-free stack of three indexes whose pop can take one twice (A-B-A, D. Vyukov); needs five switches.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { kThreads = 3 };
static atomic_int head, count = kThreads;
static atomic_int next[kThreads];
static int owner[kThreads];

static int pop(void) {
  while (atomic_load(&count) > 1) {
    const int first = atomic_load(&head);
    const int second = atomic_exchange(&next[first], -1);
    if (second < 0) continue;
    int expected = first;
    if (atomic_compare_exchange_strong(&head, &expected, second)) {
      atomic_fetch_sub(&count, 1);
      return first;
    }
    atomic_exchange(&next[first], second);
  }
  return -1;
}

static void push(int index) {
  int first = atomic_load(&head);
  do {
    atomic_store(&next[index], first);
  } while (!atomic_compare_exchange_strong(&head, &first, index));
  atomic_fetch_add(&count, 1);
}

static void *work(void *argument) {
  const int me = (int)(long)argument + 1;
  for (int i = 0; i < 2; i++) {
    int index;
    while ((index = pop()) < 0) {
    }
    owner[index] = me;
    assert(owner[index] == me);
    push(index);
  }
  return 0;
}

int main(void) {
  for (int i = 0; i < kThreads; i++) next[i] = i + 1 < kThreads ? i + 1 : -1;
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
  return 0;
}
