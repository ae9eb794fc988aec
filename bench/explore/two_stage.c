// SPDX-License-Identifier: Apache-2.0

// Two stages under two locks: a reader between them sees the first without the second.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *write_both(void *unused) {
  pthread_mutex_lock(&first_lock);
  first = 1;
  pthread_mutex_unlock(&first_lock);
  pthread_mutex_lock(&second_lock);
  second = first + 1;
  pthread_mutex_unlock(&second_lock);
  return unused;
}

static void *read_both(void *unused) {
  pthread_mutex_lock(&first_lock);
  const int seen_first = first;
  pthread_mutex_unlock(&first_lock);
  if (seen_first == 0) return unused;
  pthread_mutex_lock(&second_lock);
  const int seen_second = second;
  pthread_mutex_unlock(&second_lock);
  assert(seen_second == seen_first + 1);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, write_both, 0);
  pthread_create(&b, 0, read_both, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
