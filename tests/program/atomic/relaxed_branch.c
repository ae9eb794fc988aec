// The second thread writes x only after a relaxed load has seen the flag: no interleaving brings
// the two writes together, and no memory order keeps them apart.
// expect: race x @first-@second unordered
#include <pthread.h>
#include <stdatomic.h>

int x;
atomic_int flag;

void* first(void* unused) {
  x = 1;  // @first
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return unused;
}

void* second(void* unused) {
  if (atomic_load_explicit(&flag, memory_order_relaxed)) x = 2;  // @second
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
