#!/usr/bin/env bash
# A finding as a test, of atomicity violations and schedule-dependent results: CTest fails while the bug is there and passes when it is fixed, and the
# smallest program with the same bug shows it, confirmed, by itself.
. "$(dirname "$0")/common.inc"
. "$(dirname "$0")/export_test.inc"
check withdraw atomicity-1 "block 'withdraw' is not atomic" \
  's/^  std::lock_guard.*//; s/^  const int before/  std::lock_guard<std::mutex> guard(lock);\n&/'
check winner nondeterminism-1 "'trace::result' is 2 or 1" \
  's/^  result = answer;/  if (answer > result) result = answer;/'
