#!/usr/bin/env bash
# The exit codes of the manual: clean, findings, --exitcode, usage, bad input.
. "$(dirname "$0")/common.inc"
printf 'wr 1 x\nwr 2 x\n' >race.tiddle
printf 'wr 1 x\n' >clean.tiddle
run "$FORETELL" analyze clean.tiddle; expect_status 0
run "$FORETELL" analyze race.tiddle; expect_status 66
run "$FORETELL" analyze race.tiddle --exitcode=3; expect_status 3
run "$FORETELL" analyze race.tiddle --exitcode=0; expect_status 0
run "$FORETELL" analyze; expect_status 64
run "$FORETELL" analyze race.tiddle --no-such-option; expect_status 64
run "$FORETELL" analyze race.tiddle --analysis=nonsense; expect_status 64; expect_err "there is no analysis 'nonsense'"
run "$FORETELL" analyze race.tiddle --format=xml; expect_status 64
run "$FORETELL" analyze race.tiddle --format=text,json; expect_status 64
run "$FORETELL" analyze race.tiddle --input-format=xml; expect_status 64
run "$FORETELL" analyze race.tiddle --first-race --all-races; expect_status 64
run "$FORETELL" no-such-command; expect_status 64
run "$FORETELL"; expect_status 64
run "$FORETELL" analyze missing.tiddle; expect_status 65; expect_err "cannot open missing.tiddle"
run "$FORETELL" analyze .; expect_status 65; expect_err "it is a directory"
