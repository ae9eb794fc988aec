#!/usr/bin/env bash
# A full disk is an error; a reader that went away is silent.
. "$(dirname "$0")/common.inc"
printf 'wr 1 x\nwr 2 x\n' >race.tiddle
run "$FORETELL" analyze race.tiddle --format=json:/dev/full; expect_status 74; expect_err "No space left"
run bash -c '"$FORETELL" analyze race.tiddle >/dev/full'; expect_status 74; expect_err "No space left"
run "$FORETELL" analyze race.tiddle --format=json:/no/such/folder/x; expect_status 74
run "$FORETELL" dump race.tiddle --to=ftrace -o /dev/full; expect_status 74
awk 'BEGIN { for (i = 0; i < 200000; i++) print "wr 1 x" i }' >long.tiddle
run bash -c '"$FORETELL" dump long.tiddle | head -n 1; exit ${PIPESTATUS[0]}'; expect_status 74
[ -z "$err" ] || fail "a closed pipe needs no message"
run bash -c '"$FORETELL" analyze race.tiddle >&-'; expect_status 74
