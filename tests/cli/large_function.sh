#!/usr/bin/env bash
# A function with many reads filters repeated ones only in loops, and one with very many not at all: the
# filter's code would take LLVM minutes.
. "$(dirname "$0")/common.inc"

# filters READS LOOP: whether a function does that reads as many variables behind LOOP, in blocks of their own.
filters() {
  {
    for ((i = 0; i < $1; i++)); do echo "extern int v$i;"; done
    echo "int all(int n) { int sum = 0; $2 { __asm__ volatile(\"\" : : : \"memory\");"
    for ((i = 0; i < $1; i++)); do echo "if (n > $i) sum ^= v$i * n;"; done
    echo "} return sum; }"
  } >reads.c
  "$FORETELL" cc -O1 -g -c reads.c -o reads.o
  run nm -u reads.o; expect_status 0; expect_out __foretell_check
  grep -q __foretell_new_region stdout
}
loop="for (; n > 0; n -= sum & 7)"
filters 10 "" || fail "a small function does not filter"
! filters 60 "" || fail "a function filters outside of loops"
filters 60 "$loop" || fail "a function does not filter in a loop"
! filters 300 "$loop" || fail "a large function filters"

# Wide reads, which have no value, are recorded as such.
{
  echo "typedef long wide __attribute__((vector_size(16)));"
  echo "wide v[500]; int main(int n, char** arguments) { wide sum = {n};"
  for ((i = 0; i < 500; i++)); do echo "if (sum[0] == n) sum ^= v[$i]; else return 1;"; done
  echo "return sum[1]; }"
} >wide.c
"$FORETELL" cc -O1 -g -pthread wide.c -o wide
run "$FORETELL" record -o wide.ftrace -- ./wide; expect_status 0
run "$FORETELL" dump wide.ftrace; expect_status 0
expect_out "v+7968:16"
