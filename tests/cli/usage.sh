#!/usr/bin/env bash
# A command line with a mistake: what was wrong, and what was probably meant.
. "$(dirname "$0")/common.inc"

# says TEXT ARGUMENTS...: exit code 64, and standard error has the text.
says() {
  local text=$1
  shift
  run "$FORETELL" "$@"
  expect_status 64
  expect_err "$text"
  [ -z "$out" ] || fail "a usage error belongs to standard error"
}

says "a command is missing after 'foretell'"
says "'rnu' is no command of 'foretell'" rnu
says "did you mean 'foretell run'?" rnu -- ./prog
says "did you mean 'foretell analyze'?" analyse bank.tiddle
says "did you mean 'foretell --help'?" --hlep
says "did you mean 'foretell run -- /bin/true'?" /bin/true
says "did you mean 'foretell tiddle check'?" tiddle chek
says "a command is missing after 'foretell list'" list
says "the program and its arguments come after --: foretell run -- ./prog" run ./prog
says "the program and its arguments come after --: foretell test -- ctest" test ctest
says "'foretell run' has no option '--analsis'" run --analsis=all -- ./prog
says "did you mean '--analysis'?" run --analsis=all -- ./prog
says "'foretell dump' does not take the argument 'b.tiddle'" dump a.tiddle b.tiddle
says "'foretell analyze --help' lists what there is" analyze --nothing-like-it a.tiddle
says "TRACE is required" analyze
says "-1 is below 0" run --replays=-1 -- ./prog
says "Value -3 not in range 1 to 1024" analyze --jobs=-3 a.tiddle
if grep -q 'did you mean' stderr; then fail "a guess without a reason"; fi

run "$FORETELL" --help
expect_status 0
run "$FORETELL" --version
expect_status 0
