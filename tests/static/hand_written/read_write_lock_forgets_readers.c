// SPDX-License-Identifier: Apache-2.0
// racy: the writer looks at the other writer only
#include <pthread.h>
#include <stdlib.h>
static int writing, readers, x;
static void __VERIFIER_atomic_take_write_lock(void) {
  if (writing != 0) abort();
  writing = 1;
}
static void __VERIFIER_atomic_take_read_lock(void) {
  if (writing != 0) abort();
  readers = readers + 1;
}
static void __VERIFIER_atomic_drop_read_lock(void) { readers = readers - 1; }
static void __VERIFIER_atomic_drop_write_lock(void) { writing = 0; }
static void *writer(void *unused) {
  (void)unused;
  __VERIFIER_atomic_take_write_lock();
  x = 3;
  __VERIFIER_atomic_drop_write_lock();
  return 0;
}
static void *reader(void *unused) {
  (void)unused;
  __VERIFIER_atomic_take_read_lock();
  int seen = x;
  (void)seen;
  __VERIFIER_atomic_drop_read_lock();
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, writer, 0);
  pthread_create(&t[1], 0, reader, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
