// slots halved
// nondeterministic: two threads share an element
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int v[64];
void *set(void *p) {
  int i = (int)(long)p;
  v[i / 2] = i;
  return 0;
}
int main(int argc, char **argv) {
  pthread_t t[64];
  int n = argc & 63;
  for (long i = 0; i < n; i++) pthread_create(&t[i], 0, set, (void *)i);
  for (long i = 0; i < n; i++) pthread_join(t[i], 0);
  return v[1];
}
