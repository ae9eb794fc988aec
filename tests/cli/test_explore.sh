#!/usr/bin/env bash
# foretell test --explore: further runs of each process, in its folder and with its environment.
. "$(dirname "$0")/common.inc"

cat >early.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done, x;
static void *first(void *unused) {
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_mutex_unlock(&lock);
  x = 1;
  return unused;
}
static void *second(void *unused) {
  pthread_mutex_lock(&lock);
  const int was_done = done;
  pthread_mutex_unlock(&lock);
  if (!was_done) x = 2;  // no ordinary run comes here
  return unused;
}
int main(int argc, char **argv) {
  if (access("here", F_OK) != 0 || !getenv("WANTED") || argc != 2) return 9;
  (void)argv;
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%d\n", x);
  return 0;
}
C
"$FORETELL" cc -O1 -g -pthread early.c -o early
mkdir folder && touch folder/here
tests=(sh -c 'cd folder && WANTED=1 ../early argument && WANTED=1 ../early argument')

run "$FORETELL" test -- "${tests[@]}"; expect_status 0
grep -q "data race" stderr && fail "the recorded run is enough for this: the test shows nothing"
run "$FORETELL" test --explore --format=text,json:report.json,html:page.html,junit:junit.xml -- "${tests[@]}"
expect_status 66
expect_err "error: data race on 'x' [race-1, confirmed]"
expect_err "all schedules of this input are covered"
expect_err "2 processes"
[ "$(grep -c 'all schedules of this input' stderr)" -eq 1 ] || fail "the same process was explored twice"
python3 - <<'P'
import json
found, = json.load(open("report.json"))["findings"]
assert "early argument" in found["tests"][0]["test"], found["tests"]
P
grep -q "data race" junit.xml || fail "JUnit lacks it"
run "$FORETELL" replay race-1 --repeat=2; expect_status 66; expect_err "Reproduced 2 of 2"
run "$FORETELL" explain race-1; expect_status 0
run "$FORETELL" report race-1; expect_status 0; expect_out "race-1, confirmed"

# A limit is a limit, and a process without threads or without a recording is left alone.
run "$FORETELL" test --explore=1 -- "${tests[@]}"; expect_status 0; expect_err "1 run, 1 behavior"
run "$FORETELL" test --explore=3 -- true
grep -q behavior stderr && fail "nothing was recorded, but explored"
run "$FORETELL" test --explore=0 -- "${tests[@]}"; expect_status 64
