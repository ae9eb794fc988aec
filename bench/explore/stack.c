// SPDX-License-Identifier: Apache-2.0

// A locked stack: whether it is empty is asked in one section, and it is popped in the next.
#include <assert.h>
#include <pthread.h>

enum { kSize = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[kSize];
static int top;

static void *push_all(void *unused) {
  for (int i = 0; i < kSize; i++) {
    pthread_mutex_lock(&lock);
    items[top++] = i;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void *pop_all(void *unused) {
  for (int i = 0; i < kSize; i++) {
    pthread_mutex_lock(&lock);
    const int is_empty = top == 0;
    pthread_mutex_unlock(&lock);
    if (is_empty) continue;
    pthread_mutex_lock(&lock);
    assert(top > 0);
    top--;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, push_all, 0);
  pthread_create(&threads[1], 0, pop_all, 0);
  pthread_create(&threads[2], 0, pop_all, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
