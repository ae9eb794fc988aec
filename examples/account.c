// A deposit and a withdrawal that run at the same time: STATICDET's example. What is left depends on who is first,
// but it is never zero or less.
#include <pthread.h>
#include <stdio.h>

struct { pthread_mutex_t lock; int amount; } account = {PTHREAD_MUTEX_INITIALIZER, 1000};

void *deposit(void *unused) {
  pthread_mutex_lock(&account.lock);
  account.amount += 100;
  pthread_mutex_unlock(&account.lock);
  return unused;
}

void *withdraw(void *unused) {
  pthread_mutex_lock(&account.lock);
  int left = account.amount - 100;
  if (left > 0) account.amount = left;
  pthread_mutex_unlock(&account.lock);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, deposit, 0);
  pthread_create(&b, 0, withdraw, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return account.amount > 0 ? 0 : 1;
}
