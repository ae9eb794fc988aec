#!/usr/bin/env bash
# foretell determinism: what reads could have returned.
. "$(dirname "$0")/common.inc"

cat >last.tiddle <<'END'
fork 0 1
fork 0 2
acq 1 l
wr 1 x 7
rel 1 l
acq 2 l
wr 2 x 42
rel 2 l
join 0 1
join 0 2
rd 0 x 42
END
run "$FORETELL" determinism last.tiddle; expect_status 66
expect_out "can return 7, written by 1"
expect_out "1 of 1 reads"
run "$FORETELL" determinism last.tiddle --threads=1; expect_status 0
expect_out "deterministic for this run's events"
run "$FORETELL" determinism last.tiddle --vars=y; expect_status 0
run "$FORETELL" determinism last.tiddle --paper --final-state; expect_status 66
expect_out "at the end: 'x'"
run "$FORETELL" determinism last.tiddle --table; expect_status 0
expect_out "infeasible (%)"
run "$FORETELL" determinism last.tiddle --budget=soon; expect_status 64

# By default: results whose writes are all over. Races come first.
run "$FORETELL" analyze last.tiddle; expect_status 66
expect_out "'x' is 42 or 7 [nondeterminism-1, predicted]"
grep -v "acq\|rel" last.tiddle >racy.tiddle
run "$FORETELL" analyze racy.tiddle; expect_status 66
expect_out "data race on 'x'"
expect_out "location: 1 race"
# Who comes second reads what the first one wrote: that is what locks are for.
printf 'acq 1 l\nrd 1 x 0\nwr 1 x 1\nrel 1 l\nacq 2 l\nrd 2 x 1\nwr 2 x 2\nrel 2 l\n' >counter.tiddle
run "$FORETELL" analyze counter.tiddle; expect_status 0
run "$FORETELL" analyze --analysis=nondeterminism counter.tiddle; expect_status 66

# Values that are all the same are harmless, and said so on request only.
sed 's/x 7/x 42/' last.tiddle >same.tiddle
run "$FORETELL" determinism same.tiddle; expect_status 0
expect_out "deterministic in its values: other writes that are seen write the same"
expect_out "1 another write of the same value (--harmless shows them)"
run "$FORETELL" determinism same.tiddle --harmless; expect_status 0
expect_out "harmless: always the same value"
run "$FORETELL" determinism last.tiddle --final-state
expect_status 0; expect_out "0 of 1 locations at the end can have another value if every read returns what it did"
run "$FORETELL" determinism last.tiddle --sites=nowhere; expect_status 0; expect_out "0 of 0 reads"

# Properly locked, and different from run to run: the other write is brought about on the binary.
"$FORETELL" c++ -O1 -g "$ROOT/examples/winner.cc" -o winner
run "$FORETELL" run -- ./winner; expect_status 66; expect_out "the result is 42"
expect_err "'result' is 42 or 7 [nondeterminism-1, confirmed]"
expect_err "it can return 7, written by T1"
expect_err 'Consequence: the program prints "the result is 7" instead of "the result'
run "$FORETELL" report --format=json; expect_out '"consequence": "the program prints \"the result is 7\" instead of \"the result is 42\""'
# Nothing is said of what is another value each time, like the number of the process.
sed 's/"the result is %d\\n", result/"%d\\n", static_cast<int>(getpid())/; 1i #include <unistd.h>' \
  "$ROOT/examples/winner.cc" >pid.cc
sed -i 's/^  std::printf/  if (result > 50) return 1;\n  std::printf/' pid.cc
"$FORETELL" c++ -O1 -g pid.cc -o pid
run "$FORETELL" run -- ./pid; expect_status 66
expect_err "[nondeterminism-1, confirmed]"
! grep -q "What comes of it" stderr || fail "another process number is no consequence"
run "$FORETELL" run -- ./winner; expect_status 66
run "$FORETELL" replay nondeterminism-1; expect_status 66
expect_out "the result is 42                       | the result is 7"
run "$FORETELL" replay nondeterminism-1 --repeat=20; expect_status 66; expect_err "Reproduced 20 of 20"
run "$FORETELL" determinism; expect_status 66; expect_out "winner.cc:23:37: read of 'result'"
run "$FORETELL" determinism --sites=winner.cc:23 --vars=result; expect_status 66; expect_out "1 of 1 reads"
# Who computes what they are told to compute gives one result.
sed 's/result = answer/result += answer/' "$ROOT/examples/winner.cc" >sum.cc
"$FORETELL" c++ -O1 -g sum.cc -o sum
run "$FORETELL" run -- ./sum; expect_status 0; expect_out "the result is 49"
