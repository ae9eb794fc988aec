// SPDX-License-Identifier: Apache-2.0
// race-free: readers and a writer, counted in atomic sections
#include <pthread.h>
#include <stdlib.h>
static int writing, readers, x, y;
static void __VERIFIER_atomic_take_write_lock(void) {
  if (!(writing == 0 && readers == 0)) abort();
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
  pthread_t t[4];
  pthread_create(&t[0], 0, writer, 0);
  pthread_create(&t[1], 0, reader, 0);
  pthread_create(&t[2], 0, writer, 0);
  pthread_create(&t[3], 0, reader, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  return y;
}
