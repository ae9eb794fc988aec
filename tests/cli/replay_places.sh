#!/usr/bin/env bash
# Schedules by places: printed, followed, and what they outlast: a change elsewhere in the program.
. "$(dirname "$0")/common.inc"
cat >race.c <<'END'
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance, lines, before;
static void* audit(void* p) {
  pthread_mutex_lock(&m);
  for (int i = 0; i < ROUNDS; i++) lines++;
  pthread_mutex_unlock(&m);
  return balance > 0 ? p : 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, audit, 0);
  for (int i = 0; i < ROUNDS; i++) before += i;
  balance += 1;
  pthread_join(t, 0);
  return 0;
}
END
run "$FORETELL" cc -g -pthread -DROUNDS=2 race.c -o race; expect_status 0
run "$FORETELL" run -- ./race; expect_status 66; expect_err "[race-1, confirmed]"
run "$FORETELL" replay race-1 --by-places; expect_status 66
expect_err "race-1: Reproduced: both accesses were about to run at the same moment"
places=$(grep -o 'fp1:[^ ]*' stderr) || fail "no schedule by places"
steps=$(grep -o 'ft1:[^ ]*' stderr) || fail "no steps"
[[ $places == *@race.c:15:* && $places == *@race.c:9:* ]] || fail "not at the accesses: $places"
# It is the schedule that the finding has.
[ "$steps" = "$(grep -h '^ft1' .foretell/latest/schedules/race-1.ft1)" ] || fail "$steps"

# As text and as a file, on the program and on another build of it, in which the loops are longer.
run "$FORETELL" replay "--schedule=$places" -- ./race; expect_status 0; expect_err "Reproduced: the schedule was followed"
printf '# mine\n%s\n' "$places" >race.fp1
run "$FORETELL" cc -g -pthread -DROUNDS=9 race.c -o longer; expect_status 0
run "$FORETELL" replay --schedule=race.fp1 --binary=longer; expect_status 0
expect_err "Reproduced: the schedule was followed"
longer=$(grep -o 'ft1:[^ ]*' stderr)
[ "$longer" != "$steps" ] || fail "the longer program takes more steps"
run "$FORETELL" replay race-1 --by-places --binary=longer; expect_status 66
expect_err "both accesses were about to run at the same moment"
# Counted steps lead somewhere else.
run "$FORETELL" replay race-1 --binary=longer; [ "$status" != 66 ] || fail "two steps of a longer loop are not enough"

# What it says of itself when it does not fit.
run "$FORETELL" replay "--schedule=fp1:0x1@race.c:99:1" -- ./race; expect_status 65
expect_err "segment 1: T0 did not come to race.c:99:1"
run "$FORETELL" replay "--schedule=fp1:7x1@race.c:9:10" -- ./race; expect_status 65
expect_err "segment 1: T7 does not exist yet"
run "$FORETELL" replay "--schedule=fp1:0y1" -- ./race; expect_status 65
expect_err "'0y1' is not a segment"
run "$FORETELL" replay --by-places --seed=1; expect_status 64; expect_err "--by-places needs a finding"
run "$FORETELL" run "--schedule=$places" -- ./race; expect_status 64; expect_err "foretell replay --schedule"
