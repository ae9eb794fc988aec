#!/usr/bin/env bash
# Random programs: every input follows a schedule of the set (random_covering.py; by hand with more of them).
. "$(dirname "$0")/common.inc"
run python3 "$ROOT/tests/cli/random_covering.py" "$FORETELL" 1 3; expect_status 0; expect_out "0 wrong"
run python3 "$ROOT/tests/cli/random_covering.py" "$FORETELL" 1 3 epochs; expect_status 0; expect_out "0 wrong"
