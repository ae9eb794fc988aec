#!/usr/bin/env bash
# What a confirmed finding does to the program is seen by letting it go on, and is said only if the program then ends
# differently.
. "$(dirname "$0")/common.inc"
cat >crash.cc <<'END'
#include <cstdio>
#include <thread>
int* data = new int(3);
void use() { std::printf("%d\n", *data); }
void shut_down() { data = nullptr; }
int main() {
  std::thread a(use), b(shut_down);
  a.join();
  b.join();
}
END
run "$FORETELL" c++ -O1 -g -pthread crash.cc -o crash; expect_status 0
run "$FORETELL" run --format=text,json:out.json,sarif:out.sarif --columns=120 -- ./crash; expect_status 66
expect_err "Consequence: with T2's access first, the program is killed by SIGSEGV (Segmentation fault)."
prints "killed by SIGSEGV" cat out.json
prints "When it happens: with T2's access first, the program is killed by SIGSEGV" cat out.sarif
run "$FORETELL" explain race-1; expect_out "Consequence: with T2's access first, the program is killed by SIGSEGV"
run "$FORETELL" report race-1; expect_out "Consequence: with T2's access first, the program is killed by"
# 80 columns: the sentence is broken between words.
expect_out "    (Segmentation fault)."

# A lost update that main notices; an exit status of its own.
cat >lost.cc <<'END'
#include <thread>
int total = 0;
void add() { total += 1; }
int main() {
  std::thread a(add), b(add);
  a.join();
  b.join();
  return total == 2 ? 0 : 3;
}
END
run "$FORETELL" c++ -O1 -g -pthread lost.cc -o lost; expect_status 0
run "$FORETELL" run --columns=120 -- ./lost; expect_status 66
expect_err "the program exits with 3 instead of 0."

# The example's race changes nothing at the end of the program.
run "$FORETELL" c++ -O1 -g -pthread "$ROOT/examples/bank.cc" -o bank; expect_status 0
run "$FORETELL" run -- ./bank; expect_status 66
if grep -qF "What comes of it" stderr; then fail "the program ends as it did"; fi
