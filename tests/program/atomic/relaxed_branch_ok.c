// The second thread writes x only after an acquiring load has seen the released flag.
// expect: none
#include <pthread.h>
#include <stdatomic.h>

int x;
atomic_int flag;

void* first(void* unused) {
  x = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  return unused;
}

void* second(void* unused) {
  if (atomic_load_explicit(&flag, memory_order_acquire)) x = 2;
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
