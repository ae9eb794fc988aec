#!/usr/bin/env bash
# A finding as a test, of races and deadlocks: CTest fails while the bug is there and passes when it is fixed, and the
# smallest program with the same bug shows it, confirmed, by itself.
. "$(dirname "$0")/common.inc"
. "$(dirname "$0")/export_test.inc"
check bank race-1 "data race on 'trace::account_balance'" \
  's/^void audit() {/&\n  std::lock_guard<std::mutex> guard(account.lock);/'
check transfer deadlock-1 "deadlock of 2 threads" \
  's/^  std::lock_guard<std::mutex> first.*/  std::scoped_lock both(from.lock, to.lock);/; /guard<std::mutex> second/d'
check mailbox deadlock-1 "lost notification, the notify comes before the wait" \
  's/^  box.letters++;/  { std::lock_guard hold(box.lock); box.letters++; }/'
