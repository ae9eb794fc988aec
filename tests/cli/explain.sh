#!/usr/bin/env bash
# explain says what is behind a finding of a trace: locks, order, opinions, verdict, approximations.
. "$(dirname "$0")/common.inc"
run "$FORETELL" explain race-1 --trace="$ROOT/examples/bank.tiddle"; expect_status 0
expect_out "race-1: data race on 'acc.balance' [predicted]"
expect_out "No lock is held at both."
expect_out "happened to be 4 steps ahead of 2."
expect_out "fasttrack          a race"

printf 'wr a x\nacq a m\nwr a y\nrel a m\nacq b m\nrel b m\nrd b x\n' >hidden.tiddle
run "$FORETELL" explain race-1 --trace=hidden.tiddle --analysis=all; expect_status 0
expect_out "a did 'unlock m' (event 3) before b did 'lock m' (event 4)  <- by chance"
expect_out "fasttrack          no race"

printf 'acq a m\nwr a x\nrel a m\nacq b m\nrd b x\nrel b m\n' >guarded.tiddle
run "$FORETELL" explain race-1 --trace=guarded.tiddle; expect_status 65
expect_err "there is no finding 'race-1' in guarded.tiddle"
expect_err "it has no findings"
run "$FORETELL" explain race-1; expect_status 65
expect_err ".foretell"
run "$FORETELL" explain race-1 --trace=hidden.tiddle --run=.; expect_status 64
