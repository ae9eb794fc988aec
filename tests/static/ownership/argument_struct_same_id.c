// SPDX-License-Identifier: Apache-2.0
// racy: two structures have one id
#include <pthread.h>
#define N 5
struct job { int id; int result; };
static struct job jobs[N];
static int data[N];
static void *worker(void *argument) {
  struct job *job = argument;
  data[job->id] = job->id;
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; i++) {
    jobs[i].id = i / 2;
    pthread_create(&t[i], 0, worker, &jobs[i]);
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return data[0];
}
