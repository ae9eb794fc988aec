// Two counters that belong together, each under its own lock: read in two steps, changed in two.
// expect: atomicity sum @first-@one-@two-@second confirmed
#include <foretell/foretell.h>
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int in, out;

void* move(void* unused) {
  pthread_mutex_lock(&a);
  in = 1;  // @one
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&b);
  out = 1;  // @two
  pthread_mutex_unlock(&b);
  return unused;
}

void* sum(void* unused) {
  FORETELL_ATOMIC_BLOCK_BEGIN("sum");
  pthread_mutex_lock(&a);
  const int x = in;  // @first
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&b);
  const int y = out;  // @second
  pthread_mutex_unlock(&b);
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
