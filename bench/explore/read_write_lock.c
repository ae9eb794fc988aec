// SPDX-License-Identifier: Apache-2.0

// A read-write lock: a writer looks for readers and then enters, and a reader comes in between.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int readers, writing;
static int value, other;

static int try_to_read(void) {
  if (atomic_load(&writing)) return 0;
  atomic_fetch_add(&readers, 1);
  return 1;
}

static int try_to_write(void) {
  if (atomic_load(&readers) > 0) return 0;
  int expected = 0;
  return atomic_compare_exchange_strong(&writing, &expected, 1);
}

static void *write_both(void *unused) {
  for (int i = 1; i < 3; i++) {
    if (!try_to_write()) continue;
    value = i;
    other = i;
    atomic_store(&writing, 0);
  }
  return unused;
}

static void *read_both(void *unused) {
  for (int i = 0; i < 2; i++) {
    if (!try_to_read()) continue;
    const int seen = value;
    assert(seen == other);
    atomic_fetch_sub(&readers, 1);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, write_both, 0);
  pthread_create(&b, 0, read_both, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
