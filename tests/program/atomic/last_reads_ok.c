// Only the last of the two reads what the first may have written. The optimizer must not have both read it early.
// every seed: 4
// expect: none
#include <pthread.h>
#include <stdatomic.h>

int data;
static atomic_int done;

static void *work(void *writes) {
  if (writes) data = 1;
  if (atomic_fetch_add_explicit(&done, 1, memory_order_acq_rel) == 1) return (void *)(long)data;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, &data);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
