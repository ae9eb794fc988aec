// SPDX-License-Identifier: Apache-2.0
// race-free: a barrier by hand, with its lock and condition in one structure
#include <pthread.h>
struct barrier {
  int n, waiting, gen;
  pthread_mutex_t m;
  pthread_cond_t c;
} bar;
int data[2], seen[2];
void barrier_init(struct barrier* b, int n) {
  b->n = n;
  b->waiting = 0;
  b->gen = 0;
  pthread_mutex_init(&b->m, 0);
  pthread_cond_init(&b->c, 0);
}
void barrier_wait(struct barrier* b) {
  pthread_mutex_lock(&b->m);
  int g = b->gen;
  if (++b->waiting == b->n) {
    b->waiting = 0;
    b->gen++;
    pthread_cond_broadcast(&b->c);
  } else
    while (g == b->gen) pthread_cond_wait(&b->c, &b->m);
  pthread_mutex_unlock(&b->m);
}
void* w(void* arg) {
  long i = (long)arg;
  data[i] = i;
  barrier_wait(&bar);
  seen[i] = data[1 - i];
  return 0;
}
int main() {
  barrier_init(&bar, 2);
  pthread_t a, b;
  pthread_create(&a, 0, w, (void*)0);
  pthread_create(&b, 0, w, (void*)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return seen[0];
}
