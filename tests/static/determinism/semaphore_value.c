// semaphore value
// nondeterministic: the value says how far the other thread is
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <semaphore.h>
sem_t s;
int x;
void *one(void *p) {
  sem_getvalue(&s, &x);
  return 0;
}
void *two(void *p) {
  sem_post(&s);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return x;
}
