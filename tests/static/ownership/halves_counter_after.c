// SPDX-License-Identifier: Apache-2.0
// racy: the counter is used after its loop
#include <pthread.h>
int b[101];
void* left(void* arg) {
  int i;
  for (i = 0; i < 50; i++) b[i] = 1;
  b[i] = 2;
  return 0;
}
void* right(void* arg) {
  for (int i = 50; i < 100; i++) b[i] = 3;
  return 0;
}
int main() {
  pthread_t t1, t2;
  pthread_create(&t1, 0, left, 0);
  pthread_create(&t2, 0, right, 0);
  pthread_join(t1, 0);
  pthread_join(t2, 0);
  return 0;
}
