// SPDX-License-Identifier: Apache-2.0
// racy: the variable is touched if the try failed
#include <pthread.h>
pthread_mutex_t m;
int x;
void *work(void *unused) {
  if (pthread_mutex_trylock(&m)) x++;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  return 0;
}
