// Only the last of the two reads what the first may have written, but nothing orders them.
// expect: race data @write-@read unordered
#include <pthread.h>
#include <stdatomic.h>

int data;
static atomic_int done;

static void *work(void *writes) {
  if (writes) data = 1;  // @write
  if (atomic_fetch_add_explicit(&done, 1, memory_order_relaxed) == 1)
    return (void *)(long)data;  // @read
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
