#!/usr/bin/env bash
# What should be atomic: declared blocks, functions by name or from a file, all functions; what could be declared.
. "$(dirname "$0")/common.inc"
cat >calls.tiddle <<'END'
call 1 main
call 1 Account::add(int)
acq 1 m
rd 1 x
rel 1 m
acq 1 m
wr 1 x
rel 1 m
ret 1 Account::add(int)
call 1 Account::clear()
acq 1 m
wr 1 x
wr 1 y
rel 1 m
ret 1 Account::clear()
acq 2 m
wr 2 x
wr 2 y
rel 2 m
END
run "$FORETELL" analyze calls.tiddle; expect_status 0
run "$FORETELL" analyze calls.tiddle --atomic=Account::add; expect_status 66
expect_out "block 'Account::add(int)' is not atomic [atomicity-1, predicted]"
expect_out "R-W-W: the block overwrites what it has not seen"
run "$FORETELL" analyze calls.tiddle --atomic=clear; expect_status 0
run "$FORETELL" analyze calls.tiddle --atomic=ad; expect_status 0
expect_out "no function 'ad' was entered, so nothing was checked for it (--atomic)"

# The blocks around it are to blame, too.
run "$FORETELL" analyze calls.tiddle --atomic=functions; expect_status 66
expect_out "not atomic either: 'main'"

printf '# what the teller does\nAccount::clear\n  add  # by any class\n' >names
run "$FORETELL" analyze calls.tiddle --atomic-file=names; expect_status 66
expect_out "block 'Account::add(int)' is not atomic"
run "$FORETELL" analyze calls.tiddle --atomic-file=none; expect_status 65
expect_err "none"

# Only what nothing violated, and what shares something, is worth declaring.
run "$FORETELL" analyze calls.tiddle --infer-atomic --format=text,json:inferred.json; expect_status 66
expect_out "could be declared atomic:"
expect_out "  Account::clear()  (1 call, 3 shared operations)"
if grep -q "^  Account::add" stdout; then fail "a violated function is proposed"; fi
[ "$(python3 -c 'import json; print([b["function"] for b in json.load(open("inferred.json"))["could_be_atomic"]])')" = \
  "['Account::clear()']" ] || fail "$(cat inferred.json)"

# Whether sidetrack's assumption holds is said.
run "$FORETELL" analyze calls.tiddle --analysis=sidetrack --atomic=add; expect_status 66
expect_out "AFTER-ERROR"
expect_out "note: sidetrack assumes that there are no data races; fasttrack found none in this run"
(cat calls.tiddle; printf 'wr 1 z\nwr 2 z\n') >racy.tiddle
run "$FORETELL" analyze racy.tiddle --analysis=sidetrack --atomic=add; expect_status 66
expect_out "sidetrack assumes that there are no data races, but this run has some"
run "$FORETELL" analyze racy.tiddle --analysis=sidetrack,djit --atomic=add; expect_status 66
expect_out "but this run has some (djit)"
