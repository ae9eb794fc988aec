#!/usr/bin/env bash
# A thread that has more to do when the process ends is named; the bound can be raised.
. "$(dirname "$0")/common.inc"
cat >count.c <<'C'
#include <pthread.h>
volatile int x;
static void* work(void* unused) { for (int i = 0; i < 400; i++) x++; return unused; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  return 0;
}
C
"$FORETELL" cc -g -O1 -pthread count.c -o count
run "$FORETELL" run -- ./count; expect_status 0
if grep -q "had more to do" stderr; then fail "nothing was cut"; fi
run env FORETELL_OPTIONS=exit_steps=100 "$FORETELL" run -- ./count
expect_status 0; expect_err "1 thread had more to do when the process ended"
