#!/usr/bin/env bash
# The default pipeline predicts what the recorded order hides, and proves it on the program.
. "$(dirname "$0")/common.inc"
cp "$ROOT/examples/audit.cc" "$ROOT/examples/transfer.cc" .
run "$FORETELL" c++ -O1 -g -pthread audit.cc -o audit; expect_status 0
run "$FORETELL" run -- ./audit; expect_status 66
expect_err "data race on 'account.balance' [race-1, confirmed]"
expect_err "Why it did not show: T1 happened to unlock 'account.lock' before T2 locked it."
run "$FORETELL" explain race-1; expect_status 0
expect_out "audit.cc:21:1) before T2 did 'lock account.lock'"
expect_out "<- accidental"
expect_out "fasttrack          no race"
expect_out "sync_preserving    a race"
run "$FORETELL" run --analysis=fasttrack -- ./audit; expect_status 0
run "$FORETELL" run --jobs=1 --budget=1h --smt -- ./audit; expect_status 66

run "$FORETELL" c++ -O1 -g -pthread transfer.cc -o transfer; expect_status 0
run "$FORETELL" run -- ./transfer; expect_status 66
expect_err "deadlock of 2 threads [deadlock-1, confirmed]"
expect_err "no gate lock around both"

# Nothing is examined in no time, and that is said.
run "$FORETELL" run --budget=1ns -- ./audit; expect_status 64
expect_err "'1ns' is not a duration"
for i in $(seq 20000); do echo "wr $((i % 2 + 1)) x"; done >long.tiddle
run "$FORETELL" analyze long.tiddle --budget=0.000001ms --strict; expect_status 69
expect_err "there was no time to read the trace once, so nothing was analyzed"

# What is dismissed says what keeps it from happening.
cp "$ROOT/tests/program/ux/dead.cpp" .
run "$FORETELL" c++ -O1 -g -pthread dead.cpp -o dead; expect_status 0
run "$FORETELL" run --explain-dismissed -- ./dead; expect_status 0
expect_err "T1 is joined by T0 at "; expect_err "before T2 is started at "

# The findings do not depend on how many threads judge.
for seed in 1 2 3; do
  "$FORETELL" tiddle random --seed=$seed --events=400 --threads=5 >random.tiddle
  for jobs in 1 2 7; do
    "$FORETELL" analyze random.tiddle --jobs=$jobs --format=json:$jobs.json || [ $? -eq 66 ]
  done
  cmp 1.json 2.json; cmp 1.json 7.json
done
