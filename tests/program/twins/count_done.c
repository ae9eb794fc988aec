// Detached threads count themselves as done before they are.
// twin: -DORDERED
// expect: race * confirmed
#include <pthread.h>
#include <sched.h>
int part[3], done;
void* f(void* p) {
  int i = (int)(long)p;
#ifndef ORDERED
  __atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST);
  part[i] = i;
#else
  part[i] = i;
  __atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST);
#endif
  return 0;
}
int main(void) {
  pthread_t t[3];
  int s = 0;
  for (long i = 0; i < 3; i++) {
    pthread_create(&t[i], 0, f, (void*)i);
    pthread_detach(t[i]);
  }
  while (__atomic_load_n(&done, __ATOMIC_SEQ_CST) < 3) sched_yield();
  for (int i = 0; i < 3; i++) s += part[i];
  return s > 3;
}
