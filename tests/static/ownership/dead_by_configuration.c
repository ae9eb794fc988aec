// SPDX-License-Identifier: Apache-2.0
// race-free: nobody ever sets the option
#include <pthread.h>
static int debug;
static int count;
static void *worker(void *unused) {
  if (debug) count++;
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return count;
}
