// Two wait, both are notified.
// expect: none
// output: open
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t opened = PTHREAD_COND_INITIALIZER, arrived = PTHREAD_COND_INITIALIZER;
int open_now, waiters;

void* enter(void* unused) {
  (void)unused;
  pthread_mutex_lock(&m);
  waiters++;
  pthread_cond_signal(&arrived);
  while (!open_now) pthread_cond_wait(&opened, &m);  // @wait
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, enter, NULL);
  pthread_create(&b, NULL, enter, NULL);
  pthread_mutex_lock(&m);
  while (waiters < 2) pthread_cond_wait(&arrived, &m);
  open_now = 1;
  puts("open");
  fflush(stdout);
  pthread_cond_broadcast(&opened);
  pthread_mutex_unlock(&m);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
