// SPDX-License-Identifier: Apache-2.0
// race-free: tickets in atomic sections, any number of threads
#include <pthread.h>
#include <stdlib.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
static void assume_abort_if_not(int cond) {
  if (!cond) abort();
}
volatile unsigned next_ticket = 0, now_serving = 0;
unsigned __VERIFIER_atomic_fetch_and_increment__next_ticket() {
  unsigned value;
  if (next_ticket == (0u - 1))
    assume_abort_if_not(0);
  else {
    value = next_ticket;
    next_ticket = next_ticket + 1;
  }
  return value;
}
unsigned c = 0;
void* thr1(void* arg) {
  unsigned my = __VERIFIER_atomic_fetch_and_increment__next_ticket();
  while (1) {
    __VERIFIER_atomic_begin();
    unsigned s = now_serving;
    __VERIFIER_atomic_end();
    if (s == my) break;
  }
  c++;
  c--;
  __VERIFIER_atomic_begin();
  now_serving++;
  __VERIFIER_atomic_end();
  return 0;
}
int main() {
  pthread_t t;
  while (1) pthread_create(&t, 0, thr1, 0);
}
