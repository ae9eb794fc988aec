#!/usr/bin/env bash
# The tables come from the registries.
. "$(dirname "$0")/common.inc"
run "$FORETELL" list analyses; expect_status 0
for name in fasttrack djit hbtool eraser must_before causally_precedes wcp shb sync_preserving lock_graph wait_graph \
            sync_preserving_deadlocks; do
  expect_out "$name"
done
run "$FORETELL" list events; expect_status 0; expect_out "notifyall"
run "$FORETELL" list formats; expect_status 0; expect_out "rapid-binary"
