#!/usr/bin/env bash
# Reports say how threads came to the events of a finding: through which calls, inlined ones too,
# and where threads were created and memory was allocated.
. "$(dirname "$0")/common.inc"

cat > stacks.c <<'SOURCE'
#include <pthread.h>
#include <stdlib.h>

static inline void bump(int* at) { *at += 1; }
static __attribute__((noinline)) void twice(int* at) {
  bump(at);
  bump(at);
}
static void* work(void* block) {
  twice(block);
  return NULL;
}
static __attribute__((noinline)) int* make(void) { return calloc(1, sizeof(int)); }

int main(void) {
  pthread_t thread;
  int* block = make();
  pthread_create(&thread, NULL, work, block);
  twice(block);
  pthread_join(thread, NULL);
  return *block == 0;
}
SOURCE
run "$FORETELL" cc -O2 -g -pthread stacks.c -o stacks; expect_status 0

for options in "" --watch; do
  run "$FORETELL" run $options --format=text,json:report.json,sarif:report.sarif -- ./stacks
  expect_status 66
  expect_err "called from twice at stacks.c:6:3, work at stacks.c:10:3"
  "$ROOT/tests/cli/validate_json.py" "$ROOT/docs/json-schema.json" report.json
  "$ROOT/tests/cli/validate_json.py" "$ROOT/tests/cli/data/sarif-schema-2.1.0.json" report.sarif
  run "$FORETELL" explain race-1; expect_status 0
  expect_out "Call stacks"
  expect_out "    bump at stacks.c:4:"
  expect_out "    twice at stacks.c:6:3"
  expect_out "    main at stacks.c:19:3"
  expect_out "  T0: create T1"
  expect_out "    make at stacks.c:13:"
  python3 - <<'CHECK'
import json
result = json.load(open("report.sarif"))["runs"][0]["results"][0]
functions = [[frame["location"]["logicalLocations"][0]["fullyQualifiedName"] for frame in stack["frames"]]
             for stack in result["stacks"]]
assert ["bump", "twice", "work"] in functions, functions
assert ["make", "main"] in functions, functions
CHECK
done

# Nothing is run again if replays are not wanted.
run "$FORETELL" run --no-replay -- ./stacks; expect_status 66
! grep -q "called from" stderr || fail "stacks although nothing is to be run again"
run "$FORETELL" explain race-1; expect_status 0
! grep -q "Call stacks" stdout || fail "stacks although nothing is to be run again"

# A deadlock: who called what waits, and where the locks were taken that are held. Two stops at
# plain accesses, without optimization, where everything is a call.
cat > bank.cpp <<'SOURCE'
#include <mutex>
#include <thread>
struct Account {
  std::mutex mutex;
  int balance = 100;
  void transfer(Account& to, int n) {
    std::lock_guard<std::mutex> guard(mutex);
    std::lock_guard<std::mutex> other(to.mutex);
    balance -= n;
    to.balance += n;
  }
  int peek() const { return balance; }
};
int main() {
  Account a, b;
  std::thread one([&] { a.transfer(b, 5); });
  std::thread two([&] { b.transfer(a, 7); });
  int seen = a.peek();
  one.join();
  two.join();
  return seen == 0;
}
SOURCE
run "$FORETELL" c++ -O0 -g -pthread bank.cpp -o bank; expect_status 0
run "$FORETELL" run --runs=1 -- ./bank; expect_status 66
expect_err "called from main at bank.cpp:18:"
expect_err "T1 called from main::\$_0::operator()() const at bank.cpp:16:"
run "$FORETELL" explain deadlock-1; expect_status 0
expect_out "T1: lock this->mutex"
expect_out "    Account::transfer(Account&, int) at bank.cpp:7:"
