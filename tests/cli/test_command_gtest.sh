#!/usr/bin/env bash
# With <foretell/gtest.h> findings of `foretell test` name the GoogleTest case, also in JUnit.
. "$(dirname "$0")/common.inc"

cat >cases.cc <<'C'
#include <foretell/gtest.h>
#include <thread>
static int shared, other;
TEST(Counter, IsQuiet) { shared = 1; EXPECT_EQ(shared, 1); }
TEST(Counter, Races) {
  std::thread t([] { shared++; });
  shared++;
  t.join();
}
TEST(Counter, RacesElsewhere) {
  std::thread t([] { other++; });
  other++;
  t.join();
}
C
"$FORETELL" c++ -g -std=c++17 -pthread cases.cc -o cases -lgtest -lgtest_main
run "$FORETELL" test --format=json:out.json,junit:out.xml -- ./cases; expect_status 66
python3 - <<'P' || fail "cases are wrong"
import json
found = {}
for f in json.load(open("out.json"))["findings"]:
    found.setdefault(f["location"].split("+")[0], set()).update(t["case"] for t in f["tests"])
assert found == {"shared": {"Counter.Races"}, "other": {"Counter.RacesElsewhere"}}, found
import xml.etree.ElementTree
rows = {c.get("name"): bool(len(c)) for c in xml.etree.ElementTree.parse("out.xml").iter("testcase")}
assert rows == {"Counter.IsQuiet": False, "Counter.Races": True, "Counter.RacesElsewhere": True}, rows
P
# Natively, and without the runtime, the listener changes nothing.
run ./cases; expect_status 0; expect_out "3 tests"
run clang++-19 -I"$ROOT/include" -std=c++17 -pthread cases.cc -o native -lgtest -lgtest_main; expect_status 0
run ./native; expect_status 0
