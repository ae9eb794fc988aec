// SPDX-License-Identifier: Apache-2.0
// race-free: memory is handed back by the result of the thread
#include <pthread.h>
#include <stdlib.h>
static void *worker(void *unused) {
  int *result = malloc(sizeof *result);
  *result = unused ? 1 : 2;
  return result;
}
int main(void) {
  pthread_t a, b;
  void *x, *y;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, &x);
  *(int *)x += 1;
  pthread_join(b, &y);
  *(int *)y += 1;
  return *(int *)x + *(int *)y;
}
