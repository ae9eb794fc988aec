// The lock is chosen by the index, and the index by the thread.
// twin: -DORDERED
// expect: race * confirmed
#include <pthread.h>
pthread_mutex_t l[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int v[2];
void* f(void* p) {
  for (int i = 0; i < 4; i++) {
#ifndef ORDERED
    int k = (i + (int)(long)p) & 1;
#else
    int k = i & 1;
#endif
    pthread_mutex_lock(&l[k]);
    v[i & 1]++;
    pthread_mutex_unlock(&l[k]);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, (void*)0);
  pthread_create(&b, 0, f, (void*)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
