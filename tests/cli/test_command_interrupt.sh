#!/usr/bin/env bash
# Ctrl-C ends the command below `foretell test`; what was found until then is reported.
. "$(dirname "$0")/common.inc"

cat >prog.c <<'C'
#include <pthread.h>
int balance;
static void* work(void* p) { balance++; return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  balance++;
  pthread_join(t, 0);
  return 0;
}
C
"$FORETELL" cc -g -pthread prog.c -o prog
"$FORETELL" test --no-replay -- sh -c './prog; touch ran; sleep 1000' </dev/null >stdout 2>stderr &
pid=$!
# The finished process is analyzed while the command still runs: its run appears.
until [ -e ran ] && ls .foretell/*/processes/*/run.json >/dev/null 2>&1; do sleep 0.05; done
until ! ls .foretell/*/recordings/* >/dev/null 2>&1; do sleep 0.05; done
kill -INT "$pid"
status=0
wait "$pid" || status=$?
out=$(<stdout) err=$(<stderr)
expect_status 66; expect_err "[race-1, predicted]"; expect_err "interrupted: 1 of 1 recorded processes were analyzed"
[ -e .foretell/latest/test.json ] || fail "the results are not kept"
