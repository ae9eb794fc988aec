// SPDX-License-Identifier: Apache-2.0

// A ring of two places with two producers: both look for room before either takes it.
#include <assert.h>
#include <pthread.h>

enum { kSize = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ring[kSize];
static int first, count;

static int has_room(void) {
  pthread_mutex_lock(&lock);
  const int room = count < kSize;
  pthread_mutex_unlock(&lock);
  return room;
}

static void put(int value) {
  pthread_mutex_lock(&lock);
  assert(count < kSize);
  ring[(first + count++) % kSize] = value;
  pthread_mutex_unlock(&lock);
}

static void take(void) {
  pthread_mutex_lock(&lock);
  if (count > 0) {
    first = (first + 1) % kSize;
    count--;
  }
  pthread_mutex_unlock(&lock);
}

static void *produce(void *unused) {
  for (int i = 0; i < 2; i++) {
    if (has_room()) put(i);
  }
  return unused;
}

static void *consume(void *unused) {
  for (int i = 0; i < 2; i++) take();
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, produce, 0);
  pthread_create(&threads[1], 0, consume, 0);
  pthread_create(&threads[2], 0, produce, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
