#!/usr/bin/env bash
# foretell tiddle: check, print, compile and run, equivalents, random.
. "$(dirname "$0")/common.inc"
bank=$ROOT/examples/bank.tiddle
run "$FORETELL" tiddle check "$bank"; expect_status 0; expect_out "well-formed, 12 events"
printf 'acq 1 m\nacq 2 m\n' >bad.tiddle; run "$FORETELL" tiddle check bad.tiddle; expect_status 65
run "$FORETELL" tiddle print "$bank"; expect_status 0; expect_out "wr 1 acc.balance 10 @bank.cpp:6:15"

"$FORETELL" tiddle compile "$bank" --log -o bank.cc
clang++-19 -std=c++20 -Wall -Wextra -Werror -pthread bank.cc -o bank
run ./bank; expect_status 0
"$FORETELL" tiddle print "$bank" | sed 's/ @.*//' >expected
run diff expected <(./bank | sed 's/ @.*//'); expect_status 0

printf 'wr 1 x\nwr 2 y\nwr 3 z\n' >three.tiddle
run "$FORETELL" tiddle equivalents three.tiddle --count; expect_out 6
run "$FORETELL" tiddle equivalents three.tiddle; [ "$(grep -c '^#' stdout)" -eq 6 ] || fail "expected six traces"
run "$FORETELL" tiddle equivalents three.tiddle --limit=2; expect_err "stopped after 2"
run "$FORETELL" tiddle equivalents three.tiddle --limit=6; [ -z "$err" ] || fail "nothing was cut"
run "$FORETELL" tiddle equivalents three.tiddle --compile -o all.cc; expect_status 0
clang++-19 -std=c++20 -pthread all.cc -o all && ./all

run "$FORETELL" tiddle random --seed=7 --threads=3 --events=30 --kinds=all -o r.tiddle; expect_status 0
run "$FORETELL" tiddle check r.tiddle; expect_status 0; expect_out "30 events"
run "$FORETELL" tiddle random --kinds=nonsense; expect_status 64
run "$FORETELL" tiddle compile "$bank" --noise=sleep; expect_status 64
