// SPDX-License-Identifier: Apache-2.0

// A string is appended to another one: its length is asked under the lock, its text copied under it again.
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct Text {
  pthread_mutex_t lock;
  int length;
  char bytes[16];
};
static struct Text source = {PTHREAD_MUTEX_INITIALIZER, 3, "abc"};
static struct Text target = {PTHREAD_MUTEX_INITIALIZER, 0, ""};

static int length(struct Text *text) {
  pthread_mutex_lock(&text->lock);
  const int value = text->length;
  pthread_mutex_unlock(&text->lock);
  return value;
}

static void copy(struct Text *text, int size, char *to) {
  pthread_mutex_lock(&text->lock);
  assert(size <= text->length);
  memcpy(to, text->bytes, (size_t)size);
  pthread_mutex_unlock(&text->lock);
}

static void *append(void *unused) {
  pthread_mutex_lock(&target.lock);
  const int size = length(&source);
  copy(&source, size, target.bytes + target.length);
  target.length += size;
  pthread_mutex_unlock(&target.lock);
  return unused;
}

static void *erase(void *unused) {
  pthread_mutex_lock(&source.lock);
  source.length = 0;
  pthread_mutex_unlock(&source.lock);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, append, 0);
  pthread_create(&b, 0, erase, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
