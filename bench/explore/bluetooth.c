// SPDX-License-Identifier: Apache-2.0

// A driver that is stopped while a request is about to begin: the request works on what is stopped.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int pending = 1;
static atomic_int stopping, stopped, ended;

static int enter(void) {
  if (atomic_load(&stopping)) return -1;
  atomic_fetch_add(&pending, 1);
  return 0;
}

static void leave(void) {
  if (atomic_fetch_sub(&pending, 1) == 1) atomic_store(&ended, 1);
}

static void *request(void *unused) {
  if (enter() == 0) {
    assert(!atomic_load(&stopped));
    leave();
  }
  return unused;
}

static void *stop(void *unused) {
  atomic_store(&stopping, 1);
  leave();
  if (atomic_load(&ended)) atomic_store(&stopped, 1);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, request, 0);
  pthread_create(&b, 0, stop, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
