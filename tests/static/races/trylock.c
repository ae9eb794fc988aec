// SPDX-License-Identifier: Apache-2.0
// race-free: the variable is touched only if the try succeeded
#include <pthread.h>
pthread_mutex_t m;
int x;
void *work(void *unused) {
  if (pthread_mutex_trylock(&m) == 0) {
    x++;
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  return 0;
}
