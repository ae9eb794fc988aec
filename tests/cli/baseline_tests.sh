#!/usr/bin/env bash
# With `foretell test` a finding is fixed only if the tests that had shown it ran again: not if only others of the same
# program ran, a case was filtered out, or the test ended early.
. "$(dirname "$0")/common.inc"
cat >cases.cc <<'C'
#include <foretell/gtest.h>
#include <cstdlib>
#include <thread>
static int shared;
void bump() { shared++; }
TEST(Counter, IsQuiet) { EXPECT_EQ(shared, 0); }
TEST(Counter, Races) {
  if (std::getenv("CRASH")) abort();
  std::thread t(bump);
  if (!std::getenv("FIXED")) bump();
  t.join();
}
C
"$FORETELL" c++ -g -std=c++17 -pthread cases.cc -o cases -lgtest -lgtest_main
mkdir build
cat >build/CTestTestfile.cmake <<C
add_test(all "$PWD/cases")
add_test(quiet "$PWD/cases" "--gtest_filter=*Quiet")
C
tests() { run "$FORETELL" test "$@"; }
tests -- ctest --test-dir build; expect_status 66
run "$FORETELL" baseline; expect_status 0; expect_out "1 new"
grep -q "^# foretell baseline 2$" foretell.baseline || fail "another version"
grep -q " known race cases all#Counter.Races data race" foretell.baseline || fail "$(cat foretell.baseline)"
old=$(<foretell.baseline)

not_run() {
  expect_err "no race found, 1 not run"
  run "$FORETELL" baseline; expect_status 0; expect_out "0 fixed, 0 back again; 1 known now"
  [ "$(<foretell.baseline)" = "$old" ] || fail "the baseline has changed"
}
tests --baseline=foretell.baseline --format=text,json:out.json -- ctest --test-dir build -R quiet; expect_status 0; not_run
"$ROOT/tests/cli/validate_json.py" "$ROOT/docs/json-schema.json" out.json
python3 -c 'import json
report = json.load(open("out.json"))
assert report["trace"]["tests"] == [{"test": "quiet", "cases": ["Counter.IsQuiet"]}], report["trace"]
assert len(report["not_run"]) == 1 and "fixed" not in report' || fail "out.json is wrong"
GTEST_FILTER='*Quiet' tests --baseline=foretell.baseline -- ctest --test-dir build -R all; expect_status 0; not_run
CRASH=1 tests --baseline=foretell.baseline -- ctest --test-dir build -R all; not_run
FIXED=1 tests --baseline=foretell.baseline -- ctest --test-dir build -R all; expect_status 0
expect_err "fixed: data race on 'shared'"; expect_err "no race found, 1 fixed"
run "$FORETELL" baseline; expect_status 0; expect_out "1 fixed, 0 back again; 0 known now"
tests --baseline=foretell.baseline -- ctest --test-dir build; expect_status 66; expect_err "1 regression"

# Sources that are newer than the program that ran.
touch -d '+1 minute' cases.cc
tests -- ctest --test-dir build; expect_err "note: cases.cc is newer than cases: the lines shown may not be those that ran"
run "$FORETELL" report; expect_out "note: cases.cc is newer than cases"
