// SPDX-License-Identifier: Apache-2.0
// racy: the handle that is joined was copied from elsewhere
#include <pthread.h>
#include <string.h>
int x;
void *f(void *p) { x++; return 0; }
void *g(void *p) { return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&u, 0, g, 0);
  pthread_create(&t, 0, f, 0);
  memcpy(&t, &u, sizeof t);
  pthread_join(t, 0);
  x++;
  return x;
}
