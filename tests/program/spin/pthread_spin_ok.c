// Both threads take the spin lock, one of them by trying.
// expect: none
// output: 2
#include <pthread.h>
#include <stdio.h>

pthread_spinlock_t lock;
int x;

void* careful(void* unused) {
  (void)unused;
  pthread_spin_lock(&lock);
  x++;  // @locked
  pthread_spin_unlock(&lock);
  return NULL;
}

void* careless(void* unused) {
  (void)unused;
  while (pthread_spin_trylock(&lock) != 0) continue;
  x++;  // @plain
  pthread_spin_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&a, NULL, careless, NULL);
  pthread_create(&b, NULL, careful, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("%d\n", x);
}
