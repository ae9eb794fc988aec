#!/usr/bin/env bash
# Tiddle to ftrace and back is the identity; STD keeps what it has words for.
. "$(dirname "$0")/common.inc"
for example in "$ROOT"/examples/*.tiddle; do
  "$FORETELL" dump "$example" >a.tiddle
  "$FORETELL" dump "$example" --to=ftrace -o a.ftrace
  "$FORETELL" dump a.ftrace >b.tiddle
  run diff a.tiddle b.tiddle; expect_status 0
done
"$FORETELL" dump "$ROOT/examples/bank.tiddle" --to=std -o a.std
run "$FORETELL" analyze a.std; expect_status 66; expect_out "data race on 'acc.balance'"
run "$FORETELL" dump "$ROOT/examples/bank.tiddle" --first=3 --count=2
[ "$(wc -l <stdout)" -eq 2 ] || fail "expected two lines"
run "$FORETELL" dump "$ROOT/examples/bank.tiddle" --summary; expect_out "12 events"
run "$FORETELL" dump --to=ftrace a.std; expect_status 64
printf 'acq 1 m\nacq 2 m\n' >bad.tiddle
run "$FORETELL" dump bad.tiddle --check; expect_status 65
run "$FORETELL" dump - --check <a.tiddle; expect_status 0
[ "$out" = "$(<a.tiddle)" ] || fail "the checked text differs"
