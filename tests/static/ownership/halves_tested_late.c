// SPDX-License-Identifier: Apache-2.0
// racy: the test stands behind the write
#include <pthread.h>
int a[100], b[101];
void* left(void* arg) {
  int i = 0;
  while (1) {
    b[i] = a[i];
    if (i >= 50) break;
    i++;
  }
  return 0;
}
void* right(void* arg) {
  for (int i = 50; i < 100; i++) b[i] = a[i];
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
