#!/usr/bin/env bash
# In a pipe there is no color and no progress.
. "$(dirname "$0")/common.inc"
run "$FORETELL" analyze "$ROOT/examples/bank.tiddle"
[ -z "$err" ] || fail "standard error is not empty"
grep -q $'\033' stdout && fail "escape codes in a pipe"
run "$FORETELL" analyze "$ROOT/examples/bank.tiddle" --color=always
grep -q $'\033' stdout || fail "no color although asked for"
exit 0
