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
expect_out "phase I sufficient"
expect_out "both phases required"
run "$FORETELL" determinism last.tiddle --budget=soon; expect_status 64

# Which of the paper's orders makes a witness feasible.
run "$FORETELL" determinism last.tiddle --paper; expect_status 66
expect_out "can return 7, written by 1 at event 3; order (2)"
expect_out "(1) c, r, w; (2) w, c, r;"
printf 'wr 1 x 1\nrd 2 x 1\n' >first.tiddle
run "$FORETELL" determinism first.tiddle --paper; expect_status 66; expect_out "before all writes; orders (1) and (3)"
run "$FORETELL" determinism first.tiddle; expect_status 66
! grep -q "order" stdout || fail "the exact mode has no orders"

# Table I adds up the rows of table A1, by whether a witness has choice edges.
cat >choice.tiddle <<'END'
rd 1 x
acq 1 l
rel 1 l
wr 1 a
acq 2 l
rel 2 l
rd 2 a
acq 3 l
rel 3 l
wr 3 x
END
run "$FORETELL" determinism last.tiddle first.tiddle choice.tiddle --table; expect_status 0
[ "$(wc -l <stdout)" -eq 8 ] || fail "a head and three rows, an empty line, a head and two rows"
awk '/^(last|first|choice) /{ sum += $9 } /^phase I/{ one = $5 } /^both/{ two = $5 }
     END { exit !(sum > 0 && sum == one + two) }' stdout || fail "table I does not add up"

# JSON.
run "$FORETELL" determinism last.tiddle first.tiddle --format=json; expect_status 66
python3 - <<'END' || fail "not the JSON of docs/determinism.md"
import json
report = json.load(open("stdout"))
assert (report["foretell"], report["mode"]) == (1, "exact")
last, first = report["traces"]
assert last["trace"] == "last.tiddle" and last["verdict"] == "not_deterministic"
assert (last["reads_examined"], last["locations_examined"], last["not_examined"]) == (1, 1, 0)
read, = last["reads"]
assert read["location"] == "x" and read["read"] == {"index": 10, "thread": "0", "site": None}
assert read["returned"] == {"write": {"index": 6, "thread": "2", "site": None}, "value": 42}
assert read["can_return"] == [{"write": {"index": 3, "thread": "1", "site": None}, "value": 7, "decided": True}]
assert not read["harmless"] and "witnesses" not in last
assert first["reads"][0]["can_return"][0]["write"] is None
END
run "$FORETELL" determinism last.tiddle first.tiddle --table --format=json; expect_status 0
python3 - <<'END' || fail "not the JSON of docs/determinism.md, with tables"
import json
report = json.load(open("stdout"))
assert report["mode"] == "paper"
last, first = report["traces"]
assert last["reads"][0]["can_return"][0]["orders"] == [2]
assert first["reads"][0]["can_return"][0]["orders"] == [1, 3]
assert [row["category"] for row in report["summary"]] == ["phase_one_sufficient", "both_phases_required"]
possible = sum(trace["witnesses"]["possible"] for trace in report["traces"])
assert possible == sum(row["witnesses"]["possible"] for row in report["summary"]) > 0
for trace in report["traces"]:
    w, c = trace["witnesses"], trace["choices"]
    assert w["feasible"] + w["infeasible"] + w["gave_up"] == w["possible"] == c["cycle"] + c["no_choice"] + c["choice"]
END
run "$FORETELL" determinism last.tiddle --format=xml; expect_status 64

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
