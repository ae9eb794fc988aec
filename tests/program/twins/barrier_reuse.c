// A buffer that is filled again one barrier too early.
// twin: -DORDERED
// expect: race * confirmed
#include <pthread.h>
pthread_barrier_t b;
int buf[2], bad;
void* prod(void* p) {
  for (int i = 0; i < 3; i++) {
    buf[i % 2] = i;
    pthread_barrier_wait(&b);
#ifdef ORDERED
    pthread_barrier_wait(&b);
#endif
  }
  return 0;
}
void* cons(void* p) {
  for (int i = 0; i < 3; i++) {
    pthread_barrier_wait(&b);
    if (buf[0] > 5 || buf[1] > 5) bad = 1;
#ifdef ORDERED
    pthread_barrier_wait(&b);
#endif
  }
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_barrier_init(&b, 0, 2);
  pthread_create(&s, 0, prod, 0);
  pthread_create(&t, 0, cons, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return bad;
}
