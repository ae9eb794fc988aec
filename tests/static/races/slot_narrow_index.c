// SPDX-License-Identifier: Apache-2.0
// racy: numbers of eight bits come again
#include <pthread.h>
int a[256];
pthread_t t[1000];
void *set(void *p) {
  unsigned char i = (unsigned char)(long)p;
  a[i] = 1;
  return 0;
}
int main(void) {
  for (long i = 0; i < 1000; i++) pthread_create(&t[i], 0, set, (void *)i);
  return 0;
}
