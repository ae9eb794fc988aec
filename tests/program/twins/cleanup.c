// A cleanup handler works on what the thread has unlocked already.
// twin: -DORDERED
// expect: race n confirmed
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int n;
void undo(void* p) {
  n--;
#ifdef ORDERED
  pthread_mutex_unlock(&m);
#endif
}
void* f(void* p) {
  pthread_mutex_lock(&m);
  n++;
#ifndef ORDERED
  pthread_mutex_unlock(&m);
#endif
  pthread_cleanup_push(undo, 0);
  pthread_exit(0);
  pthread_cleanup_pop(1);
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0);
  pthread_create(&b, 0, f, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return n;
}
