#!/usr/bin/env bash
# foretell run explores a little by itself: further runs of the program, as many as it has time for.
. "$(dirname "$0")/common.inc"
unset FORETELL_RUNS

# The second thread's write is in a branch that the first run does not take.
"$FORETELL" cc -O1 -g -pthread "$ROOT/examples/early.c" -o early
run "$FORETELL" run --runs=1 -- ./early; expect_status 0
run "$FORETELL" run --runs=50 --format=text,html:page.html,json:result.json -- ./early; expect_status 66
expect_err "error: data race on 'x' [race-1, confirmed]"
expect_err "first in run"
expect_err "all schedules of this input are covered"
[ -f page.html ] && [ -f page-1.html ] || fail "the index or the page of the first run is missing"
grep -q 'href="page-[0-9]*.html#f=race-1"' page.html || fail "the index does not lead to the finding"
run "$FORETELL" replay race-1; expect_status 66; expect_err "Reproduced"
run "$FORETELL" explain race-1; expect_status 0
run "$FORETELL" report race-1 --html; expect_status 0
run "$FORETELL" report; expect_status 0; expect_out "race-1, confirmed"
[ "$("$FORETELL" runs | grep -c ./early)" -eq 2 ] || fail "foretell runs does not list both"

# What is known is not found again, under no other name either.
"$FORETELL" c++ -O1 -g -pthread "$ROOT/tests/program/ux/race.cpp" -o race
run "$FORETELL" run --runs=20 -- ./race; expect_status 66
[ "$(grep -c 'data race' stderr)" -eq 1 ] || fail "one race, reported twice"
[ ! -e .foretell/latest/test.json ] || fail "runs that add nothing were kept"

# A further run that gets stuck shows the lost notification that was predicted, and main waiting for the thread.
"$FORETELL" c++ -O1 -g -pthread "$ROOT/examples/mailbox.cc" -o mailbox
run "$FORETELL" run --runs=40 -- ./mailbox; expect_status 66
[ "$(grep -c 'error: deadlock' stderr)" -eq 1 ] || fail "one deadlock, reported twice"

# A rule is about all findings together, and what is known does not fail.
run "$FORETELL" run --runs=50 -- ./early; expect_status 66
run "$FORETELL" baseline known; expect_status 0
run "$FORETELL" run --runs=50 --baseline=known -- ./early; expect_status 0
run "$FORETELL" run --runs=50 --suppressions=<(echo 'race:x') -- ./early; expect_status 0
grep -q "matched no finding" stderr && fail "the suppression has matched in a further run"

# Nothing runs again that was asked not to, or whose schedule was chosen.
for options in --no-replay --parallel --schedule=ft1:0x1; do
  run "$FORETELL" run $options -- ./early  # with --parallel the first run may take the branch
  grep -q "further run" stderr && fail "$options: there were further runs"
done
FORETELL_RUNS=1 run "$FORETELL" run -- ./early; expect_status 0
run "$FORETELL" run --runs=0 -- ./early; expect_status 64
