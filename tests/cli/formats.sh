#!/usr/bin/env bash
# The other machine-readable reports: JSON by its schema, GitHub's annotations, JUnit, Perfetto.
. "$(dirname "$0")/common.inc"
for program in bank audit transfer; do
  cp "$ROOT/examples/$program.cc" .
  run "$FORETELL" c++ -O1 -g -pthread "$program.cc" -o "$program"; expect_status 0
  run "$FORETELL" run --stats --format=json:$program.json,github,junit:$program.xml,perfetto:$program.perfetto -- "./$program"
  expect_status 66
  cp stderr $program.github; cp .foretell/latest/findings.json $program.findings.json
done
run "$FORETELL" analyze "$ROOT/examples/flag.tiddle" --format=json:flag.json; expect_status 66
run "$FORETELL" analyze "$ROOT/tests/regress/dead-cpp.tiddle" --analysis=all --format=json:dead.json
"$ROOT/tests/cli/validate_json.py" "$ROOT/docs/json-schema.json" ./*.json

grep -qF "::error file=bank.cc,line=18,col=19,title=data race on 'account.balance' [race-1%2C confirmed]::T1 writes 'account.balance'" bank.github || fail "$(cat bank.github)"
grep -qF "::error file=transfer.cc,line=17,col=31,title=deadlock of 2 threads [deadlock-1%2C confirmed]::" transfer.github || fail "$(cat transfer.github)"

python3 - <<'P'
import json, xml.etree.ElementTree as tree
suites = tree.parse("bank.xml").getroot()
assert suites.get("tests") == "1" and suites.get("failures") == "1"
[case] = suites.iter("testcase")
[failure] = case.iter("failure")
assert case.get("name") == "./bank" and failure.get("type") == "race"
assert "How it happens" in failure.text

events = json.load(open("bank.perfetto"))["traceEvents"]
processes = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
assert processes == {1: "./bank, recorded", 2: "race-1: data race on 'account.balance' (confirmed)"}, processes
slices = [e for e in events if e["ph"] == "X"]
# The recorded run has every event but calls and returns; the predicted schedule ends with the race.
recorded = [e["args"]["event"] for e in slices if e["pid"] == 1]
assert recorded == sorted(recorded) and len(recorded) > 30
racing = [e for e in slices if e["pid"] == 2 and e["cat"] == "finding"]
assert len(racing) == 2 and racing[0]["ts"] == racing[1]["ts"], racing
assert {e["name"] for e in racing} == {"!! write account.balance", "!! read account.balance"}
for phase, end in (("B", "E"), ("b", "e")):
    assert sum(e["ph"] == phase for e in events) == sum(e["ph"] == end for e in events)
P

# Text and annotations share a stream; other formats do not.
run "$FORETELL" analyze "$ROOT/examples/bank.tiddle" --format=text,github; expect_status 66
expect_out "::warning file=bank.cpp,line=6,col=15,"; expect_out "How it happens"
run "$FORETELL" analyze - --format=perfetto:x <"$ROOT/examples/bank.tiddle"; expect_status 64
