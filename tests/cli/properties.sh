#!/usr/bin/env bash
# A trace keeps what is known of its run; text formats have nothing to say.
. "$(dirname "$0")/common.inc"
run "$FORETELL" dump --properties "$ROOT/tests/regress/v2.ftrace"; expect_status 0
expect_out "mode=parallel"; expect_out "state=finished"; expect_out "ambiguous=2"
# Files of the version before and of this one.
for version in v2 v3; do
  run "$FORETELL" dump "$ROOT/tests/regress/$version.ftrace" --to=ftrace -o copy.ftrace; expect_status 0
  run cmp "$ROOT/tests/regress/v3.ftrace" copy.ftrace; expect_status 0
done
run "$FORETELL" dump --properties "$ROOT/examples/bank.tiddle"; expect_status 0
[ -z "$out" ] || fail "text has no properties"
# Nothing is predicted from a read whose writer is not known.
run "$FORETELL" analyze --possible "$ROOT/tests/regress/v2.ftrace"; expect_status 0
expect_out "in a --parallel recording is not known"
