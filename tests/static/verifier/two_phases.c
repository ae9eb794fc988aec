// SPDX-License-Identifier: Apache-2.0
// race-free: threads of the second phase start after those of the first were joined
#include <pthread.h>
static int data[4];
static void *produce(void *argument) {
  *(int *)argument = 1;
  return 0;
}
static void *consume(void *unused) {
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += data[i];
  return sum ? unused : 0;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, produce, &data[i]);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, consume, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  return 0;
}
