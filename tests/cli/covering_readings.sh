#!/usr/bin/env bash
# Random programs whose floating point and long loops decide what they synchronize (random_covering.py).
. "$(dirname "$0")/common.inc"
run python3 "$ROOT/tests/cli/random_covering.py" "$FORETELL" 1 2 readings; expect_status 0; expect_out "0 wrong"
