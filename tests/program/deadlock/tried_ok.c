// Two locks in two orders, all of them only tried: there is no request in the whole run.
// expect: none
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x;

void* up(void* unused) {
  if (pthread_mutex_trylock(&a) != 0) return unused;
  if (pthread_mutex_trylock(&b) == 0) {
    x++;
    pthread_mutex_unlock(&b);
  }
  pthread_mutex_unlock(&a);
  return unused;
}

void* down(void* unused) {
  if (pthread_mutex_trylock(&b) != 0) return unused;
  if (pthread_mutex_trylock(&a) == 0) {
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
}
