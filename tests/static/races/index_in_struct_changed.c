// SPDX-License-Identifier: Apache-2.0
// racy: a thread changes its number
#include <pthread.h>
#define N 64
struct arg { int id; };
struct arg args[N];
int out[N];
pthread_t t[N];
void *work(void *p) {
  struct arg *a = p;
  a->id = 3;
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
