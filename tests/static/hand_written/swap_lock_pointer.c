// SPDX-License-Identifier: Apache-2.0
// race-free: locks of objects, found by a pointer, taken by exchange
#include <pthread.h>
#include <stdlib.h>
struct node {
  int lock;
  int value;
};
static struct node *a, *b;
static void acquire(int *lock) {
  while (__atomic_exchange_n(lock, 1, __ATOMIC_SEQ_CST)) {
  }
}
static void release(int *lock) { __atomic_store_n(lock, 0, __ATOMIC_SEQ_CST); }
static void *worker(void *unused) {
  (void)unused;
  acquire(&a->lock);
  a->value++;
  release(&a->lock);
  acquire(&b->lock);
  b->value++;
  release(&b->lock);
  return 0;
}
int main(void) {
  pthread_t s, t;
  a = malloc(sizeof *a);
  b = malloc(sizeof *b);
  a->lock = b->lock = 0;
  pthread_create(&s, 0, worker, 0);
  pthread_create(&t, 0, worker, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return 0;
}
