// last of many
// nondeterministic: one kind of thread that stands for several is several writers
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *set(void *p) {
  pthread_mutex_lock(&m);
  x = (int)(long)p;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(int argc, char **argv) {
  pthread_t t[64];
  int n = argc & 63;
  for (long i = 0; i < n; i++) pthread_create(&t[i], 0, set, (void *)i);
  for (long i = 0; i < n; i++) pthread_join(t[i], 0);
  return x;
}
