#!/usr/bin/env bash
# A fingerprint stays what it is when lines are inserted, the program is rebuilt, or moved; it changes with the code.
. "$(dirname "$0")/common.inc"
# Prints "kind fingerprint" of what the program in $1 has.
fingerprints() {
  run "$FORETELL" c++ "${2:--O1}" -g -pthread "$1" -o prog; expect_status 0
  run "$FORETELL" run --format=json:out.json -- ./prog; expect_status 66
  python3 -c 'import json
for f in json.load(open("out.json"))["findings"]: print(f["kind"], f["fingerprint"])' | sort
}
for program in bank audit transfer; do
  mkdir "$program" && cd "$program"
  cp "$ROOT/examples/$program.cc" one.cc
  first=$(fingerprints one.cc)
  [ -n "$first" ] || { echo "$program has no findings" >&2; exit 1; }
  [ "$(fingerprints one.cc)" = "$first" ] || { echo "$program: another fingerprint from the same source" >&2; exit 1; }
  # Unrelated edits: other lines, another function, a lambda more, another indentation.
  mkdir moved
  sed -E 's|^#include <cstdio>|// a new comment\n\n#include <cstdio>\n#include <vector>\nstatic int helper(int n) { return n + 1; }\nint unrelated() { auto twice = [](int n) { return helper(n) * 2; }; return twice(4); }\n|; s|^  |      |' one.cc >moved/two.cc
  [ "$(wc -l <moved/two.cc)" -gt "$(wc -l <one.cc)" ] || { echo "nothing was inserted" >&2; exit 1; }
  second=$(fingerprints moved/two.cc)
  [ "$second" = "$first" ] || { printf '%s: %s became %s\n' "$program" "$first" "$second" >&2; exit 1; }
  cd ..
done
# The code itself changes.
cd bank
sed 's/account.balance += amount/account.balance -= amount/' one.cc >three.cc
[ "$(fingerprints three.cc)" != "$(fingerprints one.cc)" ] || { echo "the same fingerprint for other code" >&2; exit 1; }
