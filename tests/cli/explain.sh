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
expect_out "a did 'unlock m' (event 3) before b did 'lock m' (event 4)  <- accidental"
expect_out "fasttrack          no race"

# A deadlock: who holds what, which order was chance, who proposes it, what would rule it out.
run "$FORETELL" explain deadlock-1 --trace="$ROOT/tests/trace/deadlock/lock-cycle.tiddle"; expect_status 0
expect_out "1 holds 'a' and waits for 'b', which 2 holds."
expect_out "1 did 'unlock b' (event 2) before 2 did 'lock b' (event 4)  <- accidental"
expect_out "lock_graph                proposes it"
expect_out "wait_graph                does not propose"
expect_out "One way: lock 'a' before 'b' everywhere; 2 does not."
run "$FORETELL" explain deadlock-1 --trace="$ROOT/tests/trace/deadlock/ring-of-seven-kinds.tiddle"; expect_status 0
expect_out "4 holds no lock and waits for a notify of 'c', which 5 gives after event 12"
expect_out "6 holds 'k' and waits for 'h', which 7 holds."
expect_out "1 holds 'g' and waits for the end of thread 2, which stands at event 26."
expect_out "2 holds no lock and waits for a post of 's', for which 3 first has to get past event 23."
expect_out "The other threads do after the witness what they did in the recorded run."
run "$FORETELL" explain deadlock-1 --trace="$ROOT/tests/trace/deadlock/notify-lost.tiddle"; expect_status 0
expect_out "The notify comes before the wait, and no thread is left to notify again."
expect_out "One way: hold the lock of the wait while changing what it checks."

# A block: what it holds, what comes between, what is assumed.
run "$FORETELL" explain atomicity-1 --trace="$ROOT/tests/trace/atomicity/lost-update.tiddle"; expect_status 0
expect_out "'add' is to be atomic, and contains the first and the last event."
expect_out "The block takes 'm' at both of its events: between the two anybody may have it."
expect_out "1 did 'lock m' (event 4) before 2 did 'lock m' (event 9)  <- accidental"
expect_out "predicted_atomicity       proposes it"
expect_out "velodrome                 does not propose"
expect_out "That the other thread's section ends, once begun, is assumed."
expect_out "One way: hold 'm' throughout the block."

# A read: what it returned and can return, and why it did not.
run "$FORETELL" explain nondeterminism-1 --analysis=nondeterminism --trace="$ROOT/examples/flag.tiddle"; expect_status 0
expect_out "in the recorded run 1, written by 1 (event 1)"
expect_out "in the witness      a value, written by nobody: the initial value"
expect_out "The witness has 1 step."
printf 'acq a m\nwr a x 1\nrel a m\nacq b m\nwr b x 2\nrel b m\nacq c m\nrd c x 2\nrel c m\n' >writers.tiddle
run "$FORETELL" explain nondeterminism-1 --analysis=nondeterminism --trace=writers.tiddle; expect_status 0
expect_out "in the witness      1, written by a (event 1)"
expect_out "a did 'unlock m' (event 2) before b did 'lock m' (event 3)"

printf 'acq a m\nwr a x\nrel a m\nacq b m\nrd b x\nrel b m\n' >guarded.tiddle
run "$FORETELL" explain race-1 --trace=guarded.tiddle; expect_status 65
expect_err "there is no finding 'race-1' in guarded.tiddle"
expect_err "it has no findings"
run "$FORETELL" explain race-1; expect_status 65
expect_err ".foretell"
run "$FORETELL" explain race-1 --trace=hidden.tiddle --run=.; expect_status 64
