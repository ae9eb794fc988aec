// Both counters under both locks.
// expect: none
#include <foretell/foretell.h>
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int in, out;

void* move(void* unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  in = 1;
  out = 1;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}

void* sum(void* unused) {
  FORETELL_ATOMIC_BLOCK_BEGIN("sum");
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  const int x = in;
  const int y = out;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  FORETELL_ATOMIC_BLOCK_END("sum");
  return x + y > 2 ? unused : NULL;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, sum, NULL);
  pthread_create(&other, NULL, move, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  puts("done");
}
