// SPDX-License-Identifier: Apache-2.0
// race-free: ids in an array of structures
#include <pthread.h>
#define N 5
struct job { int id; int result; };
static struct job jobs[N];
static int data[N];
static void *worker(void *argument) {
  struct job *job = argument;
  data[job->id] = job->id;
  job->result = data[job->id] * 2;
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; i++) {
    jobs[i].id = i;
    pthread_create(&t[i], 0, worker, &jobs[i]);
  }
  int sum = 0;
  for (int i = 0; i < N; i++) {
    pthread_join(t[i], 0);
    sum += jobs[i].result;
  }
  return sum;
}
