#!/usr/bin/env bash
# foretell report: the last run once more, as text, JSON or HTML.
. "$(dirname "$0")/common.inc"
run "$FORETELL" report; expect_status 65; expect_err "there is no recorded run in this folder (.foretell/latest)"

# A run as `foretell run` leaves it, without running anything.
mkdir -p .foretell/one/schedules .foretell/one/outputs
ln -s one .foretell/latest
cp "$ROOT/examples/bank.tiddle" .
"$FORETELL" dump bank.tiddle --to=ftrace -o .foretell/one/trace.ftrace
"$FORETELL" analyze bank.tiddle --format=text:text,json:.foretell/one/findings.json || [ $? -eq 66 ]
cat >.foretell/one/run.json <<'J'
{"foretell": 1, "version": "0", "command": ["./bank", "3"], "directory": "/", "program": "./bank",
 "build": {"size": 0, "hash": ""}, "stdin": "", "mode": "controlled", "strategy": "round-robin", "seed": 7,
 "start_time_ns": 0, "events": 12, "threads": 3, "seconds": 0, "status": 0, "ended": "exited with 0"}
J
run "$FORETELL" report; expect_status 0
diff text stdout
run "$FORETELL" report --format=json:-; expect_status 0
diff .foretell/one/findings.json stdout

run "$FORETELL" report --html; expect_status 0; expect_out "wrote foretell.html ("
run "$FORETELL" report race-1 --html; expect_status 0; expect_out "wrote race-1.html ("
run "$FORETELL" report race-1 --html=x.html --format=json:x.json; expect_status 0; [ -s x.html ] && [ -s x.json ]
run "$FORETELL" report --html=-; expect_status 0; expect_out '<!doctype html>'
run "$FORETELL" report race-2 --html; expect_status 65
expect_err "there is no finding 'race-2' in this run"; expect_err "it has race-1"
run "$FORETELL" report --html=/no/such/folder/x.html; expect_status 74

# What is in the page.
python3 - <<'P'
import base64, json
page = open("x.html").read()
begin = page.index('id="foretell-data">') + len('id="foretell-data">')
text = page[begin:page.index("</script>", begin)]
assert not set("<>&") & set(text)
data = json.loads(text)
assert data["foretell"] == 1 and data["open"] == "race-1"
assert ["command", "./bank 3"] in data["facts"] and ["seed", "7"] in data["facts"]
assert data["summary"]["events"] == 12 and data["trace"]["rows"] == 12 and data["trace"]["whole"]
[finding] = data["findings"]
assert finding["predicted"]["steps"] <= 12 and "witness" not in finding and "fasttrack" in finding["analyses"]
assert base64.b64decode(data["trace"]["events"]) and data["trace"]["edge_count"] >= 2
[source] = [s for s in data["sources"] if s["path"] == "bank.cpp"]
assert source["state"] == "missing"
P

# Sources: in the page if they are there, marked if they are newer than the run.
printf 'line %s\n' $(seq 1 30) >bank.cpp
touch -d '2 hours ago' bank.cpp
run "$FORETELL" report --html=old.html; expect_status 0
grep -q '"path":"bank.cpp","state":"same","pieces":\[\[1,"line 1\\nline 2' old.html || fail "the source is not in the page"
touch -d 'next hour' bank.cpp
run "$FORETELL" report --html=new.html; expect_status 0
grep -q '"path":"bank.cpp","state":"newer"' new.html || fail "a newer source is not noticed"

# Of a long trace: windows and what synchronizes.
run "$FORETELL" report --html=cut.html --events=5; expect_status 0
grep -q '"whole":false,"skeleton":true' cut.html || fail "the trace was not cut"

# The same from analyze; a report that shows events needs a file it can read twice.
run "$FORETELL" analyze bank.tiddle --format=html:direct.html; expect_status 66; [ -s direct.html ]
run "$FORETELL" analyze - --format=html:x.html <bank.tiddle; expect_status 64
expect_err "name a file instead of -"
run "$FORETELL" analyze bank.tiddle --format=html; expect_status 64
expect_err "--format=html needs a file name: --format=html:report.html"
