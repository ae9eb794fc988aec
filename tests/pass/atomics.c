// Atomics: begin, the value read, the value written, the order; a failed exchange is a read.
#include <stdatomic.h>
_Atomic int a;
_Atomic long wide;
_Atomic _Bool flag;
int main(void) {
  atomic_store_explicit(&a, 5, memory_order_release);
  // @expect AtomicBegin a at atomics.c:@-1:
  // @expect AtomicWrite a = 5 size 4 order 3
  int v = atomic_load_explicit(&a, memory_order_acquire);  // @expect AtomicRead a = 5 size 4 order 2
  v = atomic_load_explicit(&a, memory_order_relaxed);      // @expect AtomicRead a = 5 size 4 order 0
  atomic_fetch_add(&a, 2);                                 // @expect AtomicRmw a = 5 -> 7 size 4 order 5
  atomic_fetch_sub_explicit(&a, 3, memory_order_acq_rel);  // @expect AtomicRmw a = 7 -> 4 size 4 order 4
  atomic_exchange(&wide, -1);                              // @expect AtomicRmw wide = 0 -> -1 size 8 order 5
  int expected = 9;
  atomic_compare_exchange_strong(&a, &expected, 1);        // @expect AtomicRead a = 4 size 4 order 5
  expected = 4;
  atomic_compare_exchange_strong(&a, &expected, 1);        // @expect AtomicRmw a = 4 -> 1 size 4 order 5
  atomic_thread_fence(memory_order_release);               // @expect Fence - order 3
  atomic_signal_fence(memory_order_seq_cst);
  atomic_store(&flag, 1);                                  // @expect AtomicWrite flag = 1 size 1 order 5
  return v == 5 ? 0 : 1;
}
// @count 1 Fence
// @count 2 AtomicRead a = 5
