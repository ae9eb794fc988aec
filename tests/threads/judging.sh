#!/usr/bin/env bash
# Several threads judge the proposals of one trace.
. "$ROOT/tests/cli/common.inc"
for seed in 1 2; do
  "$FORETELL" tiddle random --seed=$seed --events=80 --threads=4 >random.tiddle
  run "$FORETELL" analyze random.tiddle --jobs=4 --stats
  expect_status 66
done
