// Two spin locks in one order.
// expect: none
// output: 2
#include <pthread.h>
#include <stdio.h>

pthread_spinlock_t a, b;
int x;

void both(pthread_spinlock_t* first, pthread_spinlock_t* second) {
  pthread_spin_lock(first);
  pthread_spin_lock(second);
  x++;
  pthread_spin_unlock(second);
  pthread_spin_unlock(first);
}

void* up(void* unused) {
  both(&a, &b);
  return unused;
}

void* down(void* unused) {
  both(&a, &b);
  return unused;
}

int main(void) {
  pthread_t one, other;
  pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&one, NULL, up, NULL);
  pthread_create(&other, NULL, down, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  printf("%d\n", x);
}
