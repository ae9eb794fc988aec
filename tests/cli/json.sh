#!/usr/bin/env bash
# The JSON report has the documented shape, and its witness is the one in the text.
. "$(dirname "$0")/common.inc"
run "$FORETELL" analyze "$ROOT/examples/bank.tiddle" --format=json:- --stats; expect_status 66
python3 - <<'P'
import json
r = json.load(open("stdout"))
assert r["foretell"] == 2
assert r["trace"] == {"name": r["trace"]["name"], "events": 12, "threads": 3, "locks": 1, "locations": 2}, r["trace"]
[f] = r["findings"]
assert f["id"] == "race-1" and f["kind"] == "race" and f["verdict"] == "predicted"
assert "fasttrack" in f["analyses"] and f["location"] == "acc.balance"
a, b = f["events"]
assert (a["index"], a["thread"], a["op"], a["site"]) == (5, "1", "wr", "bank.cpp:6:15")
assert (b["index"], b["thread"], b["op"], b["site"]) == (9, "2", "rd", "bank.cpp:16:10")
assert sorted(f["witness"][-2:]) == [5, 9] and len(set(f["witness"])) == len(f["witness"])
assert r["stats"]["analyses"][0]["name"] == "fasttrack"
P
run "$FORETELL" analyze "$ROOT/examples/bank.tiddle" --format=text,json:out.json; expect_status 66
expect_out "data race on 'acc.balance' [race-1, predicted]"
python3 -c 'import json; json.load(open("out.json"))'

# A witness is made of whole prefixes of the input's threads: re-entrant operations are part of it.
printf 'acq 1 m\nacq 1 m\nwr 1 x\nrel 1 m\nwr 1 y\nrel 1 m\nwr 2 y\nwr 2 x\n' >reentrant.tiddle
run "$FORETELL" analyze reentrant.tiddle --format=json:-; expect_status 66
python3 - <<'P'
import json
threads = {1: [0, 1, 2, 3, 4, 5], 2: [6, 7]}
findings = json.load(open("stdout"))["findings"]
assert len(findings) == 2, findings
for f in findings:
    for events in threads.values():
        mine = [i for i in f["witness"] if i in events]
        assert mine == events[:len(mine)], f["witness"]
P

# What the judge refuted is called so, and read back so: main has its locks before it starts a thread.
printf '%s\n' 'acq 0 m' 'acq 0 n' 'rel 0 n' 'rel 0 m' 'fork 0 1' 'acq 1 n' 'acq 1 m' 'rel 1 m' 'rel 1 n' >gate.tiddle
run "$FORETELL" analyze gate.tiddle --analysis=lock_graph --format=json:-; expect_status 0
python3 - <<'P'
import json
r = json.load(open("stdout"))
assert r["findings"] == [], r["findings"]
assert [(f["id"], f["verdict"]) for f in r["dismissed"]] == [("deadlock-1", "dismissed")], r["dismissed"]
P
cp stdout dismissed.json
python3 "$ROOT/tests/cli/validate_json.py" "$ROOT/docs/json-schema.json" dismissed.json
