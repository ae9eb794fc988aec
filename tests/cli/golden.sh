#!/usr/bin/env bash
# The reports of the examples, word for word, as the manual shows them; narrow and wide, ASCII and UTF-8.
# UPDATE=1 tests/cli/golden.sh writes them anew: look at the difference before committing it.
golden=$(cd "$(dirname "$0")" && pwd)/golden
. "$(dirname "$0")/common.inc"
export LC_ALL=C.UTF-8
same() {
  # $1: name of the report; it is in stderr. Numbers of steps are those of this C++ library.
  if [ -n "${UPDATE:-}" ]; then cp stderr "$golden/$1"; fi
  diff -u "$golden/$1" stderr >difference || { cat difference; exit 1; }
}
for program in bank audit transfer winner withdraw; do
  cp "$ROOT/examples/$program.cc" .
  run "$FORETELL" c++ -O1 -g -pthread "$program.cc" -o "$program"; expect_status 0
  run "$FORETELL" run -- "./$program"; expect_status 66; same "$program.txt"
  [ "$(wc -L <stderr)" -le 100 ] || fail "a line is far wider than 80 columns"
  run "$FORETELL" run --columns=140 --charset=utf8 -- "./$program"; expect_status 66; same "$program-wide.txt"
  [ "$(wc -L <stderr)" -le 140 ] || fail "a line is wider than asked for"
done
# In a pipe there is neither color nor UTF-8, whatever the locale; NO_COLOR is stronger than a terminal.
if grep -qP '[^\x00-\x7F]|\033' "$golden/bank.txt"; then fail "the plain report is not plain"; fi
if has_terminals; then
  script -qec "NO_COLOR=1 $FORETELL run --columns=80 --charset=ascii -- ./bank" /dev/null >terminal || true
  grep -q "data race" terminal || fail "$(cat terminal)"
  if grep -q $'\033\[1' terminal; then fail "color in spite of NO_COLOR"; fi
  script -qec "$FORETELL run -- ./bank" /dev/null >terminal || true
  grep -q $'\033\[1;31merror' terminal || fail "no color on a terminal"
fi

# Sources that have changed since, or are gone.
touch -d '1 minute' bank.cc
run "$FORETELL" run -- ./bank; expect_status 66
expect_err "note: bank.cc is newer than ./bank: the lines shown may not be those that ran"
mv bank.cc elsewhere.cc
run "$FORETELL" run -- ./bank; expect_status 66
expect_err "note: bank.cc is not here, so its lines cannot be shown"
expect_err "written by T1, holding 'account.lock'"
