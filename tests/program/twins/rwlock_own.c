// A read-write lock made of two mutexes; the writer takes the wrong one.
// twin: -DORDERED
// expect: race data confirmed
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, w = PTHREAD_MUTEX_INITIALIZER;
int readers, data;
void* rd(void* p) {
  int v;
  pthread_mutex_lock(&m);
  if (readers++ == 0) pthread_mutex_lock(&w);
  pthread_mutex_unlock(&m);
  v = data;
  pthread_mutex_lock(&m);
  if (--readers == 0) pthread_mutex_unlock(&w);
  pthread_mutex_unlock(&m);
  return (void*)(long)v;
}
void* wr(void* p) {
#ifdef ORDERED
  pthread_mutex_lock(&w);
#else
  pthread_mutex_lock(&m);
#endif
  data++;
#ifdef ORDERED
  pthread_mutex_unlock(&w);
#else
  pthread_mutex_unlock(&m);
#endif
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, rd, 0);
  pthread_create(&b, 0, wr, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
