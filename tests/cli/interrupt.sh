#!/usr/bin/env bash
# Ctrl-C while a program is recorded: what it did until then is analyzed, and the report says so. (Ctrl-C during the
# analysis: unit/analysis/driver_test.cc.)
. "$(dirname "$0")/common.inc"
cat >forever.cc <<'END'
#include <csignal>
#include <mutex>
#include <thread>
#include <unistd.h>
std::mutex m;
long sum;
int racy;
void work(int id) {
  racy = id;
  for (;;) {
    std::lock_guard hold(m);
    if (++sum == 20000) kill(getppid(), SIGINT);
  }
}
int main() {
  std::thread a(work, 1), b(work, 2);
  a.join();
  b.join();
}
END
run "$FORETELL" c++ -O1 -g -pthread forever.cc -o forever; expect_status 0
run "$FORETELL" run --no-replay -- ./forever; expect_status 66
expect_err "interrupted: the report covers what was recorded so far"
expect_err "data race on 'racy'"
[ -s .foretell/latest/findings.json ] || fail "the findings are not kept"
