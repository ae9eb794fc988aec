#!/usr/bin/env bash
# foretell explore: what only another run shows, what is merged, and when all schedules are covered.
. "$(dirname "$0")/common.inc"

# The second thread's write is in a branch that the ordinary run does not take.
"$FORETELL" cc -O1 -g -pthread "$ROOT/examples/early.c" -o early
run "$FORETELL" run --analysis=all --no-replay --output=alone -- ./early
grep -q "error: data race" stderr && fail "one run is enough for this: the test shows nothing"
run "$FORETELL" explore -- ./early; expect_status 66
expect_err "error: data race on 'x' [race-1, confirmed]"
expect_err "all schedules of this input are covered"
run "$FORETELL" replay race-1 --repeat=3; expect_status 66; expect_err "Reproduced 3 of 3"
run "$FORETELL" report race-1 --html; expect_status 0
[ "$("$FORETELL" runs | grep -c ./early)" -ge 1 ] || fail "foretell runs does not list it"

# The same command does the same, on one processor as on two, and a limit is a limit.
for jobs in 1 2; do
  run "$FORETELL" explore --jobs=$jobs --no-replay --format=json:jobs-$jobs.json --output=jobs-$jobs -- ./early
done
summary() { python3 -c 'import json,sys; r=json.load(open(sys.argv[1])); print(r["trace"]["name"], [(f["id"], f["schedule_string"]) for f in r["findings"]])' "$1"; }
[ "$(summary jobs-1.json)" = "$(summary jobs-2.json)" ] || fail "another number of jobs, another result"
run "$FORETELL" explore --runs=1 --strict -- ./early; expect_status 69
expect_err "not all schedules are covered"

# The run is called like the program, however many runs there were: so a baseline knows it.
python3 -c 'import json; assert json.load(open("jobs-1.json"))["trace"]["name"] == "./early"' || fail "its name"
run "$FORETELL" explore --no-replay --runs=20 -- ./early
run "$FORETELL" baseline known; expect_status 0; expect_out "1 new"
run "$FORETELL" explore --no-replay --runs=30 --baseline=known -- ./early; expect_status 0; expect_err "1 known"

# Locked, so there is no race; one schedule of many fails an assertion.
"$FORETELL" cc -O1 -g -pthread "$ROOT/bench/explore/two_stage.c" -o two_stage
run "$FORETELL" explore --analysis=lock_graph -- ./two_stage; expect_status 66
expect_err "property 'no crash' is violated [property-1, confirmed]"
expect_err "Assertion"
run "$FORETELL" replay property-1; expect_status 66; expect_err "killed by SIGABRT"

# Nothing wrong with it: 0, and everything was seen.
cat >fine.c <<'C'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *add(void *unused) {
  pthread_mutex_lock(&lock);
  count++;
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, add, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return count != 3;
}
C
"$FORETELL" cc -O1 -g -pthread fine.c -o fine
run "$FORETELL" explore --strict -- ./fine; expect_status 0
expect_err "6 runs, 6 behaviors"; expect_err "all schedules of this input are covered"

# Little space is reserved for a run; a long one gets what it needs.
cat >long.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *add(void *unused) {
  for (int i = 0; i < 100000; i++) x++;
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, add, 0);
  add(0);
  return pthread_join(t, 0);
}
C
"$FORETELL" cc -O1 -pthread long.c -o long
for short in 0 1; do FORETELL_OPTIONS="record=long-$short:short_run=$short" ./long; done
[ "$("$FORETELL" dump --summary long-0)" = "$("$FORETELL" dump --summary long-1)" ] || fail "a long run is cut short"
[ "$("$FORETELL" dump --count=400000 long-1 | wc -l)" -gt 200000 ] || fail "the long run is not there"

# What steers the program from outside is noticed.
cat >outside.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int x;
static void *set(void *unused) { x = getpid() % 1000; return unused; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, set, 0);
  int seen = x;
  pthread_join(t, 0);
  return seen < 0;
}
C
"$FORETELL" cc -O1 -g -pthread outside.c -o outside
run "$FORETELL" explore --no-replay -- ./outside
grep -q "all schedules of this input are covered" stderr && fail "the process id is no input"
expect_err "differs between runs"

# Nothing is left behind. Other tests have folders there, too, but not for long.
for folder in $(find /dev/shm -maxdepth 1 -name 'foretell-*' -user "$(id -u)" -newer fine.c 2>/dev/null); do
  for _ in $(seq 300); do
    [ -e "$folder" ] || break
    sleep 0.1
  done
  [ ! -e "$folder" ] || fail "scratch files are left: $folder"
done
run "$FORETELL" explore -- ./no-such-program; expect_status 65
run "$FORETELL" explore --runs=0 -- ./fine; expect_status 64
