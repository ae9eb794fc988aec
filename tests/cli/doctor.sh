#!/usr/bin/env bash
# doctor names what is missing and how to fix it.
. "$(dirname "$0")/common.inc"
run "$FORETELL" doctor; expect_status 0; expect_out "C++ compiler"
run env TMPDIR=/no/such/folder "$FORETELL" doctor; expect_status 0; expect_out "fix: set TMPDIR"
run env TMPDIR=/no/such/folder "$FORETELL" analyze - <<<'wr 1 x'; expect_status 65; expect_err "temporary file"
