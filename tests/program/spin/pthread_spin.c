// The second thread forgets the spin lock.
// expect: race x @plain-@locked confirmed
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
  x++;  // @plain
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
