#!/usr/bin/env bash
# Several threads examine the reads of one trace.
. "$ROOT/tests/cli/common.inc"
"$FORETELL" tiddle random --seed=1 --events=100 --threads=4 >random.tiddle
run "$FORETELL" determinism random.tiddle
[ "$status" -eq 0 ] || expect_status 66
expect_out "can have another value"
