#!/usr/bin/env bash
# Every command has help with an example.
. "$(dirname "$0")/common.inc"
run "$FORETELL" --version; expect_status 0; expect_out "foretell 0.2.0"
for command in "" analyze explain report view run record replay dump tiddle "tiddle check" "tiddle print" "tiddle compile" \
  "tiddle equivalents" "tiddle random" list "list analyses" doctor completion; do
  # shellcheck disable=SC2086
  run "$FORETELL" $command --help; expect_status 0; expect_out "Example: "
done
