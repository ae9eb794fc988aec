#!/usr/bin/env bash
# SARIF of real programs is valid against the schema of the standard and says what ux.md promises.
. "$(dirname "$0")/common.inc"
valid() { "$ROOT/tests/cli/validate_json.py" "$ROOT/tests/cli/data/sarif-schema-2.1.0.json" "$@"; }
for program in bank audit transfer; do
  cp "$ROOT/examples/$program.cc" .
  run "$FORETELL" c++ -O1 -g -pthread "$program.cc" -o "$program"; expect_status 0
  run "$FORETELL" run --format=text,sarif:"$program.sarif" -- "./$program"; expect_status 66
  valid "$program.sarif"
done
# What only traces have: no sources, findings without a witness, more than two threads.
run "$FORETELL" analyze "$ROOT/examples/flag.tiddle" --format=sarif:flag.sarif; expect_status 66
run "$FORETELL" analyze "$ROOT/tests/regress/ring-of-three.tiddle" --format=sarif:ring.sarif; expect_status 66
printf 'wr 1 x\nwr 2 x\n' >plain.tiddle
run "$FORETELL" analyze plain.tiddle --format=sarif:plain.sarif; expect_status 66
: >empty.tiddle
run "$FORETELL" analyze empty.tiddle --format=sarif:empty.sarif; expect_status 0
valid flag.sarif ring.sarif plain.sarif empty.sarif

python3 - <<'P'
import json
def only(path):
    [run] = json.load(open(path))["runs"]
    [result] = run["results"]
    return run, result

run, race = only("audit.sarif")
assert race["ruleId"] == "race" and race["level"] == "error", race
assert run["tool"]["driver"]["rules"][race["ruleIndex"]]["id"] == "race"
place = race["locations"][0]["physicalLocation"]
assert place["artifactLocation"] == {"uri": "audit.cc", "uriBaseId": "SRCROOT"}, place
assert place["region"]["startLine"] == 18 and place["region"]["startColumn"] == 19, place
[flow] = race["codeFlows"]
threads = {t["id"]: t["locations"] for t in flow["threadFlows"]}
assert set(threads) == {"T0", "T1", "T2"}, set(threads)
# Program order within a thread, one order over all, and the racing two at once, last.
steps = sorted((l["executionOrder"], t) for t, ls in threads.items() for l in ls)
for locations in threads.values():
    orders = [l["executionOrder"] for l in locations]
    assert orders == sorted(orders) and len(set(orders)) == len(orders), orders
assert steps[-1][0] == steps[-2][0] and {steps[-1][1], steps[-2][1]} == {"T1", "T2"}, steps[-3:]
assert all(a[0] != b[0] for a, b in zip(steps[:-2], steps[1:-1])), steps
dangerous = [l for ls in threads.values() for l in ls if "danger" in l["kinds"]]
assert len(dangerous) == 2 and all(l["importance"] == "essential" for l in dangerous)
assert {"acquire", "lock"} in [set(l["kinds"]) for l in threads["T2"]]

run, deadlock = only("transfer.sarif")
assert deadlock["ruleId"] == "deadlock" and deadlock["level"] == "error"
[flow] = deadlock["codeFlows"]
last = {t["id"]: t["locations"][-1] for t in flow["threadFlows"]}
assert last["T1"]["executionOrder"] == last["T2"]["executionOrder"], last
assert "waits for 'checking.lock'" in last["T1"]["location"]["message"]["text"], last["T1"]

_, unordered = only("flag.sarif")
assert unordered["level"] == "error" and "reason" in unordered["properties"]
_, predicted = only("plain.sarif")
assert predicted["level"] == "warning"
_, ring = only("ring.sarif")
assert len(ring["codeFlows"][0]["threadFlows"]) >= 3
P
