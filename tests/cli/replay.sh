#!/usr/bin/env bash
# run finds a race and confirms it; replay repeats it, and notices another build.
. "$(dirname "$0")/common.inc"

run "$FORETELL" replay race-1; expect_status 65; expect_err "there is no recorded run in this folder"
run "$FORETELL" replay; expect_status 65
run "$FORETELL" run --analysis=nonsense -- true; [ "$status" -ne 0 ] || fail "nonsense accepted"
[ ! -e .foretell ] || fail "a misspelt option cost a run"

cat >race.c <<'C'
#include <pthread.h>
#include <stdio.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance;
static void* audit(void* p) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return balance > 0 ? p : 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, audit, 0);
  balance += 1;
  pthread_join(t, 0);
  puts("done");
  return 4;
}
C
"$FORETELL" cc -g -pthread race.c -o race
run "$FORETELL" run --format=text,json:out.json -- ./race
expect_status 66; [ "$out" = done ] || fail "the report is in the program's output"
expect_err "data race on 'balance' [race-1, confirmed]"
expect_err "   13 |   balance += 1;"
expect_err "race.c:8:10: note: read here by T1, holding no lock"
expect_err "<-->"
expect_err "schedule  ft1:0x"
expect_err "foretell replay race-1 [--gdb]"
grep -q '"verdict": "confirmed"' out.json || fail "json is not confirmed"
cmp -s out.json .foretell/latest/findings.json || fail "findings.json differs"
[ -e .foretell/latest/schedules/race-1.ft1 ] && [ -e .foretell/latest/outputs/race-1.txt ] ||
  fail "schedule or output is missing"
run "$FORETELL" run --exitcode=0 --no-replay -- ./race
expect_status 0; expect_err "[race-1, predicted]"; expect_err "Not confirmed: not replayed"

run "$FORETELL" replay race-1; expect_status 66; expect_out done
expect_err "race-1: Reproduced: both accesses were about to run"
run "$FORETELL" replay race-1 --repeat=20; expect_status 66; expect_err "Reproduced 20 of 20"
run "$FORETELL" replay race-1 --minimize; expect_status 66; expect_err "thread switches instead of"
# Version 0.1 spelled the option otherwise; help and completion show only the new spelling.
run "$FORETELL" replay race-1 --minimise; expect_status 66; expect_err "thread switches instead of"
run "$FORETELL" replay --help; expect_out "--minimize"; ! grep -q minimise stdout || fail "the old spelling is shown"
run "$FORETELL" completion bash; expect_out "--minimize"; ! grep -q minimise stdout || fail "the old spelling is completed"
run "$FORETELL" replay --schedule=.foretell/latest/schedules/race-1-minimized.ft1; expect_status 4
expect_err "the schedule was followed"
run "$FORETELL" replay --seed=1; expect_status 4; expect_err "events as recorded"
run "$FORETELL" replay --schedule=ft1:0x3.7x1; expect_status 65; expect_err "Diverged"; expect_err "step 4: T7"
run "$FORETELL" replay race-9; expect_status 65; expect_err "it has race-1"
run "$FORETELL" replay race-1 --seed=1; expect_status 64; expect_err "give exactly one thing"

# From elsewhere, and without any recorded run.
mkdir away
(cd away && "$FORETELL" replay --run=../.foretell/latest race-1) >stdout 2>stderr || status=$?
out=$(<stdout) err=$(<stderr); expect_status 66
(cd away && "$FORETELL" replay --schedule=ft1:0x2 -- ../race) >stdout 2>stderr || status=$?
out=$(<stdout) err=$(<stderr); expect_status 4
[ ! -e away/.foretell ] || fail "a replay left a run"

if command -v gdb >/dev/null; then
  run "$FORETELL" replay race-1 --gdb </dev/null
  expect_out "step 10 of 11 of the schedule comes next"; expect_out "main () at race.c:13"
fi

cp race old
sed -i 's/done/other/' race.c && "$FORETELL" cc -g -pthread race.c -o race
run "$FORETELL" replay race-1; expect_status 65
expect_err "error: race-1 was recorded from a different build of ./race"
expect_err "note: rebuild, or pass --binary=PATH"
run "$FORETELL" replay race-1 --binary=old; expect_status 66; expect_out done
run "$FORETELL" replay race-1 --binary=race; expect_err "another build"
