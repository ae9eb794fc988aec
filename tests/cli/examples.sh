#!/usr/bin/env bash
# What the manual says of each example.
. "$(dirname "$0")/common.inc"
run "$FORETELL" analyze "$ROOT/examples/bank.tiddle"; expect_status 66; expect_out "data race on 'acc.balance'"
run "$FORETELL" analyze "$ROOT/examples/queue.tiddle" --analysis=fasttrack,djit,happens_before; expect_status 0
run "$FORETELL" analyze "$ROOT/examples/flag.tiddle" ; expect_status 66; expect_out "data race on 'data2' [race-1, unordered]"
