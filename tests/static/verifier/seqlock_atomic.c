// SPDX-License-Identifier: Apache-2.0
// race-free: a reader that checks a version, all data atomic
#include <pthread.h>
#include <stdatomic.h>
static atomic_int version, data;
static int copy;
static void *writer(void *unused) {
  version++;
  data = 5;
  version++;
  return unused;
}
static void *reader(void *unused) {
  int v;
  do {
    v = version;
    copy = data;
  } while (v != version || v % 2);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return copy;
}
