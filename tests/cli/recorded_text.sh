#!/usr/bin/env bash
# What dump prints of a recorded program can be read again, whatever code that was not instrumented wrote.
. "$(dirname "$0")/common.inc"

# record_and_check PROGRAM: leaves the text in dumped.tiddle.
record_and_check() {
  run "$FORETELL" record -o program.ftrace -- "$1"
  run "$FORETELL" dump program.ftrace -o dumped.tiddle; expect_status 0
  run "$FORETELL" tiddle check dumped.tiddle; expect_status 0; expect_out "well-formed"
  run "$FORETELL" tiddle print program.ftrace; expect_status 0
  cmp stdout dumped.tiddle || fail "tiddle print and dump differ"
  run "$FORETELL" tiddle print dumped.tiddle; expect_status 0
  cmp stdout dumped.tiddle || fail "the text changes when it is read and printed again"
  grep -qE '^rd [^ ]+ [^ ]+ -?[0-9]+ ' dumped.tiddle || fail "no read has a value"
}

# A function that is not instrumented changes a variable between a recorded write and a recorded read.
cat >other.c <<'END'
void change(int* p) { *p = 5; }
END
cat >changed.c <<'END'
#include <pthread.h>
extern void change(int* p);
int x, y;
static void* body(void* arg) { y = x; return arg; }
int main(void) {
  pthread_t t;
  x = 1;
  change(&x);
  pthread_create(&t, 0, body, 0);
  pthread_join(t, 0);
  return y == 5 ? 0 : 1;
}
END
clang-19 -c other.c -o other.o
"$FORETELL" cc -O1 -g -pthread changed.c other.o -o changed
record_and_check ./changed
grep -qE '^wr T0 x\+0:4 1 ' dumped.tiddle || fail "the write of x is not in the text"
grep -qE '^rd T1 x\+0:4 @' dumped.tiddle || fail "the read of x should have lost its value"
grep -qE '^rd T0 y\+0:4 5 ' dumped.tiddle || fail "the read of y should have its value"

# Programs of the standard library, of which a part is compiled here and a part is not.
for program in stdlib/async_ok stdlib/jthread_ok stdlib/shared_ptr_ok thread/chain_ok condition/flag_ok; do
  "$FORETELL" c++ -O1 -g -std=c++20 -pthread "$ROOT/tests/program/$program.cc" -o program
  record_and_check ./program
done
