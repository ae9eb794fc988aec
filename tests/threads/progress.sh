#!/usr/bin/env bash
# A thread draws the progress line while others judge.
. "$ROOT/tests/cli/common.inc"
has_terminals || exit 0
"$FORETELL" tiddle random --seed=3 --events=80 --threads=4 >random.tiddle
run script -qec "'$FORETELL' analyze random.tiddle --jobs=2" /dev/null
expect_status 66
