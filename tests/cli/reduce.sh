#!/usr/bin/env bash
# foretell dump --reduce: without the accesses that add no race (PREDICT, appendix A).
. "$(dirname "$0")/common.inc"

cat >whole.tiddle <<'END'
wr 1 local 1
rd 1 table 7
rd 2 table 7
wr 1 x 1
wr 1 x 2
rd 1 x 2
acq 1 m
wr 1 y 1
rel 1 m
acq 2 m
rel 2 m
rd 2 x 2
END
cat >expected.tiddle <<'END'
wr 1 x
acq 1 m
rel 1 m
acq 2 m
rel 2 m
rd 2 x
END
run "$FORETELL" dump --reduce whole.tiddle; expect_status 0
cmp stdout expected.tiddle || fail "not the reduced trace"
run "$FORETELL" dump --reduce --first=1 --count=2 whole.tiddle; expect_status 0
[ "$out" = $'acq 1 m\nrel 1 m' ] || fail "indices are those of the reduced trace"
run "$FORETELL" dump --reduce --to=ftrace -o reduced.ftrace whole.tiddle; expect_status 0
run "$FORETELL" dump --summary reduced.ftrace; expect_out "6 events, 2 threads"
for trace in whole.tiddle reduced.ftrace; do
  run "$FORETELL" analyze --analysis=causally_precedes "$trace"; expect_status 66; expect_out "data race on 'x'"
done
printf 'rel 1 m\n' >bad.tiddle
run "$FORETELL" dump --reduce bad.tiddle; expect_status 65; expect_err "bad.tiddle:1"

# A recorded program: fewer events, and the same races by variable.
"$FORETELL" c++ -O1 -g -pthread "$ROOT/examples/bank.cc" -o bank
"$FORETELL" record -o bank.ftrace -- ./bank >record.out 2>&1
run "$FORETELL" dump --reduce --to=ftrace -o small.ftrace bank.ftrace; expect_status 0
count() { "$FORETELL" dump --summary "$1" | sed -n '1s/ events.*//p'; }
[ "$(count small.ftrace)" -lt "$(count bank.ftrace)" ] || fail "nothing was left out"
races() { "$FORETELL" analyze --analysis=fasttrack,causally_precedes "$1" 2>/dev/null | sed -n "s/.*data race on '\([^']*\)'.*/\1/p" | sort -u; }
[ "$(races small.ftrace)" = "$(races bank.ftrace)" ] || fail "other races"
