// SPDX-License-Identifier: Apache-2.0

// Every operation is locked, but a transfer is two operations: the sum is wrong in between.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int from = 100, to;

static int balance(const int *account) {
  pthread_mutex_lock(&lock);
  const int value = *account;
  pthread_mutex_unlock(&lock);
  return value;
}

static void add(int *account, int amount) {
  pthread_mutex_lock(&lock);
  *account += amount;
  pthread_mutex_unlock(&lock);
}

static void *transfer(void *unused) {
  if (balance(&from) >= 70) {
    add(&from, -70);
    add(&to, 70);
  }
  return unused;
}

static void *withdraw(void *unused) {
  if (balance(&from) >= 50) add(&from, -50);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, transfer, 0);
  pthread_create(&b, 0, withdraw, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(from >= 0);
  return 0;
}
