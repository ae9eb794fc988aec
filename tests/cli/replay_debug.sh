#!/usr/bin/env bash
# replay --gdb has commands for the schedule; --print-launch-json is JSON; --export-test writes a test
# that fails while the bug is there and passes when it is fixed.
. "$(dirname "$0")/common.inc"

cat >race.c <<'C'
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance;
static void* audit(void* p) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return balance > 0 ? p : 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, audit, 0);
  balance += 1;
  pthread_join(t, 0);
  return 4;
}
C
"$FORETELL" cc -g -pthread race.c -o race
run "$FORETELL" run -- ./race; expect_status 66

if command -v gdb >/dev/null; then
  printf 'schedule-where\nschedule-next\ninfo schedule\ncontinue\n' >commands
  run "$FORETELL" replay race-1 --gdb <commands
  expect_out "step 10 of 11 of the schedule comes next"; expect_out "=>     10  T0    wr balance"
  expect_out "=> T0   gdb thread 1   main at race.c:12"; expect_out "audit at race.c:7"
  expect_out "step 11 of 11 of the schedule comes next"; expect_out "=>     11  T1    rd balance"
  expect_out "exited with code 04"
  # gdb shows the program's line, and nothing of the runtime.
  printf 'frame\nbacktrace\nschedule-next\nbacktrace\ncontinue\n' >commands
  run "$FORETELL" replay race-1 --gdb <commands
  grep -q '^12.*balance += 1;' stdout || fail "the program's line is not shown"
  expect_out "in main () at race.c:12"; expect_out "in audit (p="
  grep -qE '__foretell_reached \(|libforetell_rt|debugger\.cc' stdout && fail "frames of the runtime are shown"
  printf 'thread 3\nframe\ncontinue\ncontinue\n' >commands
  run "$FORETELL" replay race-1 --gdb <commands
  expect_out "in audit (p="
fi
run "$FORETELL" replay race-1 --print-launch-json; expect_status 0
python3 -c 'import json; c, = json.load(open("stdout"))["configurations"]
assert c["program"].endswith("/race") and {"text": "break __foretell_reached"} in c["setupCommands"], c'

run "$FORETELL" replay race-1 --export-test=exported; expect_status 0
mkdir project
cat >project/CMakeLists.txt <<C
cmake_minimum_required(VERSION 3.25)
project(Exported NONE)
enable_testing()
include($PWD/exported/race-1.cmake)
C
run cmake -S project -B build -DFORETELL_EXECUTABLE="$FORETELL"; expect_status 0
run ctest --test-dir build --output-on-failure; expect_status 8; expect_out "race-1 is still there"
# Moved, the bug is still the same bug.
sed -i '1i // a comment\n' race.c
"$FORETELL" cc -g -pthread race.c -o race
run ctest --test-dir build; expect_status 8
sed -i 's/  balance += 1;/  pthread_mutex_lock(\&m);\n  balance += 1;\n  pthread_mutex_unlock(\&m);/
  s/  pthread_mutex_unlock(&m);\n  return/  return/' race.c
python3 - <<'P'
text = open("race.c").read()
text = text.replace("  pthread_mutex_unlock(&m);\n  return balance > 0 ? p : 0;", "  p = balance > 0 ? p : 0;\n  pthread_mutex_unlock(&m);\n  return p;")
open("race.c", "w").write(text)
P
"$FORETELL" cc -g -pthread race.c -o race
run ctest --test-dir build --output-on-failure; expect_status 0
run "$FORETELL" run --regression=exported/race-1.json -- true; expect_status 65

# The problem alone shows the same bug.
run "$FORETELL" analyze exported/race-1.tiddle; expect_status 66; expect_out "race.c:12"
run "$FORETELL" c++ -g -pthread exported/race-1.cc -o minimal; expect_status 0
run "$FORETELL" run -- ./minimal; expect_status 66; expect_err "balance' [race-1, confirmed]"
