// SPDX-License-Identifier: Apache-2.0
// race-free: a driver that stops when its last user has left
#include <pthread.h>
static int pending = 1, stopping, stopped, event;
static int __VERIFIER_atomic_enter(void) {
  if (stopping) return -1;
  pending++;
  return 0;
}
static int __VERIFIER_atomic_leave(void) { return --pending; }
static void __VERIFIER_atomic_set_event(void) { event = 1; }
static int __VERIFIER_atomic_get_event(void) { return event; }
static void __VERIFIER_atomic_stop(void) { stopping = 1; }
static void leave(void) {
  if (__VERIFIER_atomic_leave() == 0) __VERIFIER_atomic_set_event();
}
static void *stopper(void *unused) {
  __VERIFIER_atomic_stop();
  leave();
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
    leave();
  }
  return 0;
}
