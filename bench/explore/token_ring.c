// SPDX-License-Identifier: Apache-2.0

// Each thread hands on the token of the one before it; nothing makes them go in order.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int token[5] = {1};

static void *hand_on(void *argument) {
  const long me = (long)argument;
  pthread_mutex_lock(&lock);
  token[me] = token[me - 1];
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t threads[5];
  for (long i = 1; i < 5; i++) pthread_create(&threads[i], 0, hand_on, (void *)i);
  for (long i = 1; i < 5; i++) pthread_join(threads[i], 0);
  // Only if all of them went the wrong way round.
  assert(token[1] == 1 && (token[2] || token[3] == 0));
  assert(!(token[2] == 0 && token[3] == 0 && token[4] == 0));
  return 0;
}
