// SPDX-License-Identifier: Apache-2.0
// racy: only the second thread is joined
#include <pthread.h>
int x;
void *f(void *p) { x++; return 0; }
void *g(void *p) { return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  pthread_create(&t, 0, g, 0);
  pthread_join(t, 0);
  x++;
  return x;
}
