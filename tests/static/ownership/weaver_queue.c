// SPDX-License-Identifier: Apache-2.0
// race-free: a producer and a consumer with counters in atomic sections
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
static void assume_abort_if_not(int cond) { if (!cond) abort(); }
static int *q, front, back, size, total;
static void *producer(void *unused) {
  for (int i = 0; i < size; i++) {
    __VERIFIER_atomic_begin();
    assume_abort_if_not(back >= 0 && back < size);
    q[back] = 1;
    back++;
    __VERIFIER_atomic_end();
  }
  return unused;
}
static void *consumer(void *unused) {
  for (int i = 0; i < size; i++) {
    __VERIFIER_atomic_begin();
    assume_abort_if_not(front < back && front >= 0);
    total += q[front];
    front++;
    __VERIFIER_atomic_end();
  }
  return unused;
}
int main(void) {
  pthread_t a, b;
  size = __VERIFIER_nondet_int();
  assume_abort_if_not(size > 0 && size < 1000);
  q = malloc(size * sizeof *q);
  front = back = __VERIFIER_nondet_int();
  pthread_create(&a, 0, producer, 0);
  pthread_create(&b, 0, consumer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return total;
}
