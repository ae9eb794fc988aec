#!/usr/bin/env bash
# foretell test: every process below a parallel ctest is recorded, analyzed and replayed; findings are
# attributed to their tests, one is reported once, and a crash or a time limit stops nothing.
. "$(dirname "$0")/common.inc"

cat >common.h <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance;
static void* audit(void* p) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return balance > 0 ? p : 0;
}
static void race(void) {
  pthread_t t;
  pthread_create(&t, 0, audit, 0);
  balance += 1;
  pthread_join(t, 0);
}
C
cat >prog.c <<'C'
#include "common.h"
int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0] == 'r') race();
  if (argc > 1 && argv[1][0] == 'e' && !getenv("WITH")) return 3;
  if (argc > 1 && argv[1][0] == 'e') race();
  if (argc > 1 && argv[1][0] == 'c') raise(SIGSEGV);
  if (argc > 1 && argv[1][0] == 'h') for (;;) usleep(1000);
  return 0;
}
C
"$FORETELL" cc -g -pthread prog.c -o prog
printf '#!/bin/sh\n"%s/prog" race\n' "$PWD" >script.sh; chmod +x script.sh
mkdir build
cat >build/CTestTestfile.cmake <<C
add_test(plain "$PWD/prog")
add_test(racy "$PWD/prog" "race")
add_test(script "$PWD/script.sh")
add_test(shell "/bin/sh" "-c" "$PWD/prog race")
add_test(environment "$PWD/prog" "e")
set_tests_properties(environment PROPERTIES ENVIRONMENT "WITH=1")
add_test(crash "$PWD/prog" "crash")
add_test(native "/bin/true")
C

run "$FORETELL" test --jobs=2 --format=text,json:out.json,junit:out.xml,sarif:out.sarif,github:out.github,html:out.html -- \
  ctest --test-dir build -j3
expect_status 66; expect_out "86% tests passed, 1 tests failed out of 7"
expect_err "data race on 'balance' [race-1, confirmed]"
! grep -q "race-2" stderr || fail "one race was reported twice"
expect_err "crash: warning: was killed by SIGSEGV (Segmentation fault) while it was recorded"
expect_err "6 processes of 6 tests"
python3 - <<'P' || fail "out.json is wrong"
import json
report = json.load(open("out.json"))
(finding,) = report["findings"]
assert finding["verdict"] == "confirmed", finding
assert sorted(t["test"] for t in finding["tests"]) == ["environment", "racy", "script", "shell"], finding["tests"]
tests = json.load(open(".foretell/latest/test.json"))
assert tests["findings"] == {"race-1": finding["tests"][0]["run"]}, tests["findings"]
assert sorted(p["test"] for p in tests["processes"]) == ["crash", "environment", "plain", "racy", "script", "shell"]
import xml.etree.ElementTree
cases = list(xml.etree.ElementTree.parse("out.xml").iter("testcase"))
rows = {c.get("name"): [k.tag for k in c] for c in cases}
assert rows == {"plain": [], "racy": ["failure"], "script": ["failure"], "shell": ["failure"],
                "environment": ["failure"], "crash": ["error"]}, rows
assert any("common.h" in f.text for c in cases for f in c.findall("failure"))
(result,) = json.load(open("out.sarif"))["runs"][0]["results"]
assert sorted(result["properties"]["tests"]) == ["environment", "racy", "script", "shell"], result
assert open("out.github").read().count("::error ") == 1
assert "foretell-data" in open("out.html").read()
P
[ ! -e .foretell/latest/recordings ] || fail "recordings were left"

# The finding is there for the other commands, and runs as the test ran it.
run "$FORETELL" replay race-1 --repeat=3; expect_status 66; expect_err "Reproduced 3 of 3"
run "$FORETELL" explain race-1; expect_status 0; expect_out "balance"
run "$FORETELL" replay race-2; expect_status 65; expect_err "it has race-1"
run "$FORETELL" replay --seed=1; expect_status 65; expect_err "name a finding"
folder=$(python3 -c 'import json
for p in json.load(open(".foretell/latest/test.json"))["processes"]:
  if p["test"] == "environment": print(p["run"])')
run "$FORETELL" replay race-1 --run=".foretell/latest/$folder"; expect_status 66; expect_err "Reproduced"

# Without findings it exits as the command did; without instrumented processes it says so.
run "$FORETELL" test -- ./prog e; expect_status 3; expect_err "./prog e: 1 process:"
run "$FORETELL" test -- true; expect_status 0; expect_err "nothing was recorded"
run "$FORETELL" test -- ./nothing; expect_status 65; expect_err "cannot run ./nothing"
run "$FORETELL" test --disk-limit=much -- true; expect_status 64; expect_err "'much' is not a size"

# Limits of each process.
run "$FORETELL" test --timeout=1 -- sh -c './prog hang; ./prog race'; expect_status 66
expect_err "ran longer than its time limit"; expect_err "[race-1, confirmed]"
