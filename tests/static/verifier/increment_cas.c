// SPDX-License-Identifier: Apache-2.0
// race-free: a counter that is increased by compare-and-swap
#include <pthread.h>
static unsigned value;
static void __VERIFIER_atomic_cas(unsigned *v, unsigned e, unsigned u, unsigned *r) {
  if (*v == e) {
    *v = u;
    *r = 1;
  } else {
    *r = 0;
  }
}
static unsigned __VERIFIER_atomic_load(void) { return value; }
static void *worker(void *unused) {
  unsigned v, casret;
  do {
    v = __VERIFIER_atomic_load();
    if (v == 0u - 1) return 0;
    __VERIFIER_atomic_cas(&value, v, v + 1, &casret);
  } while (casret == 0);
  return unused;
}
int main(void) {
  pthread_t t;
  while (1) pthread_create(&t, 0, worker, 0);
}
