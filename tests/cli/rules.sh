#!/usr/bin/env bash
# A broken rule names line, thread, object and reason.
. "$(dirname "$0")/common.inc"
check() {
  printf '%b' "$1" >t; run "$FORETELL" analyze t; expect_status 65; expect_err "$2"
}
check 'acq 1 m\nacq 2 m\n' "t:2: error: thread 2 acquires lock m, which thread 1 holds"
check 'acq 1 m\nrel 2 m\n' "t:2: error: thread 2 releases lock m, which thread 1 holds"
check 'rel 1 m\n' "t:1: error: thread 1 releases lock m, which nobody holds"
check 'join 1 2\n' "t:1: error: thread 1 joins thread 2, which was never forked and has no events"
check 'wr 2 x\nfork 1 2\n' "t:2: error: thread 1 forks thread 2, which has acted before"
check 'wr 1 x 1\nrd 2 x 2\n' "t:2: error: thread 2 reads 2 from x, but the last write (event 0) stored 1"
check 'wr 1\n' "t:1: error: the text ends where 'wr' needs a location"
check 'wr 1 x\nfoo 1 x\n' "t:2: error: unknown operation 'foo'"
