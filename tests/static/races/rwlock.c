// SPDX-License-Identifier: Apache-2.0
// race-free: readers share, the writer is alone
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y;
void *reader(void *unused) {
  pthread_rwlock_rdlock(&l);
  int seen = x;
  pthread_rwlock_unlock(&l);
  return (void *)(long)seen;
}
void *writer(void *unused) {
  pthread_rwlock_wrlock(&l);
  x = 3;
  pthread_rwlock_unlock(&l);
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, reader, 0);
  pthread_create(&c, 0, reader, 0);
  pthread_create(&b, 0, writer, 0);
  return 0;
}
