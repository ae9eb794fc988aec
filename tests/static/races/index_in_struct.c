// SPDX-License-Identifier: Apache-2.0
// race-free: the number of a thread is stored in its argument
#include <pthread.h>
#define N 64
struct arg { int id; int *out; };
struct arg args[N];
int out[N];
pthread_t t[N];
void *work(void *p) {
  struct arg *a = p;
  out[a->id] = 5;
  return 0;
}
int main(void) {
  for (int i = 0; i < N; i++) {
    args[i].id = i;
    pthread_create(&t[i], 0, work, &args[i]);
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return out[1];
}
