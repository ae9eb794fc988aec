#!/usr/bin/env bash
# A function with very many reads is compiled without the filter of repeated reads, whose code would
# take LLVM minutes.
. "$(dirname "$0")/common.inc"

# compile NAME READS: a function that reads as many variables, in blocks of their own.
compile() {
  for ((i = 0; i < $2; i++)); do echo "extern int v$i;"; done >"$1.c"
  echo "int all(int n) { int sum = 0;" >>"$1.c"
  for ((i = 0; i < $2; i++)); do echo "if (n > $i) sum ^= v$i * n;"; done >>"$1.c"
  echo "return sum; }" >>"$1.c"
  "$FORETELL" cc -O1 -g -c "$1.c" -o "$1.o"
}
compile small 100
run nm -u small.o; expect_status 0; expect_out __foretell_new_region
compile large 3000
run nm -u large.o; expect_status 0; expect_out __foretell_check
! grep -q __foretell_new_region stdout || fail "filtered"

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
