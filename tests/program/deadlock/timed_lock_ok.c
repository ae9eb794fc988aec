// Two locks in two orders, but the second thread does not wait for its second one longer than a
// second.
// expect: none
#include <pthread.h>
#include <stdio.h>
#include <time.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x;

void* up(void* unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  x++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}

void* down(void* unused) {
  pthread_mutex_lock(&b);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  if (pthread_mutex_timedlock(&a, &until) == 0) {
    x++;
    pthread_mutex_unlock(&a);
  }
  pthread_mutex_unlock(&b);
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, up, NULL);
  pthread_create(&second, NULL, down, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  printf("%d\n", x);
}
