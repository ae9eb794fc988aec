// SPDX-License-Identifier: Apache-2.0
// racy: users are not counted
#include <pthread.h>
static int pending = 1, stopping, stopped, event;
static int __VERIFIER_atomic_enter(void) { return stopping ? -1 : 0; }
static int __VERIFIER_atomic_leave(void) { return --pending; }
static void __VERIFIER_atomic_set_event(void) { event = 1; }
static int __VERIFIER_atomic_get_event(void) { return event; }
static void __VERIFIER_atomic_stop(void) { stopping = 1; }
static void *stopper(void *unused) {
  __VERIFIER_atomic_stop();
  if (__VERIFIER_atomic_leave() == 0) __VERIFIER_atomic_set_event();
  while (!__VERIFIER_atomic_get_event()) {
  }
  stopped = 1;
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, stopper, 0);
  if (__VERIFIER_atomic_enter() == 0) {
    int seen = stopped;
    (void)seen;
  }
  return 0;
}
