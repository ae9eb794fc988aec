#!/usr/bin/env bash
# Threads analyze and replay the processes of a test command while it starts more.
. "$ROOT/tests/cli/common.inc"
run "$FORETELL" c++ -O1 -g -pthread "$ROOT/examples/bank.cc" -o bank; expect_status 0
run "$FORETELL" test --jobs=4 -- sh -c 'for i in 1 2 3 4 5 6; do ./bank & done; wait'
expect_status 66
expect_err "6 processes"
