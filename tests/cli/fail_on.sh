#!/usr/bin/env bash
# --fail-on draws the line between what fails and what is only said.
. "$(dirname "$0")/common.inc"
run "$FORETELL" analyze "$ROOT/examples/bank.tiddle"; expect_status 66
run "$FORETELL" analyze "$ROOT/examples/bank.tiddle" --fail-on=predicted; expect_status 66
run "$FORETELL" analyze "$ROOT/examples/bank.tiddle" --fail-on=confirmed; expect_status 0
expect_out "data race on 'acc.balance' [race-1, predicted]"
run "$FORETELL" analyze "$ROOT/examples/flag.tiddle"; expect_status 66
run "$FORETELL" analyze "$ROOT/examples/flag.tiddle" --fail-on=unordered; expect_status 66
run "$FORETELL" analyze "$ROOT/examples/flag.tiddle" --fail-on=confirmed; expect_status 0
run "$FORETELL" analyze "$ROOT/examples/bank.tiddle" --fail-on=unordered; expect_status 0
run "$FORETELL" analyze "$ROOT/examples/flag.tiddle" --fail-on=possible --exitcode=7; expect_status 7
run "$FORETELL" analyze "$ROOT/examples/flag.tiddle" --fail-on=perhaps; expect_status 64
